// The barrier is inside the guard of the load, so some threads skip the barrier in the last step.
// task: tiled_matmul
// refused by: emulator
// hazards: divergent-barrier
// says: threads of one block wait at different barriers|is reached by .* every thread must reach it
// change of: solution 04-jk
@@
-        As[ty][tx] = k0 + ty < K && i0 + tx < M ? A[(k0 + ty) * M + i0 + tx] : 0.0f;
+        As[ty][tx] = 0.0f;
+        if (k0 + ty < K && i0 + tx < M) {
+            As[ty][tx] = A[(k0 + ty) * M + i0 + tx];
+            __syncthreads();
+        }
