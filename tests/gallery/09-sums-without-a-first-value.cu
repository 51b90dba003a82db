// The sums in registers are declared but never set to 0.
// task: fast_matmul_whole_tiles
// refused by: emulator, nvcc
// says: sum has no value when line \d+ .* first adds to it
// change of: 09-no-barrier
@@
-    float sum[kMine][kMine] = {};
+    float sum[kMine][kMine];
@@
+        __syncthreads();  // all threads' copies have, and all are done with the last step, whose slot is next
         copy(step + kStages - 1, slot == 0 ? kStages - 1 : slot - 1);
