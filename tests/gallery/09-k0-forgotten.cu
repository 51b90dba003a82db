// The copy of B does not use the step, so each step has the first tile of B again.
// task: fast_matmul_whole_tiles
// refused by: emulator, nvcc
// says: Each step of 8 uses the first tile of B again
// change of: 09-no-barrier
@@
-                __pipeline_memcpy_async(&Bs[slot][k_B][j], &B[(j0 + j) * K + k0 + k_B], sizeof(float));
+                __pipeline_memcpy_async(&Bs[slot][k_B][j], &B[(j0 + j) * K + k_B], sizeof(float));
@@
+        __syncthreads();  // all threads' copies have, and all are done with the last step, whose slot is next
         copy(step + kStages - 1, slot == 0 ? kStages - 1 : slot - 1);
