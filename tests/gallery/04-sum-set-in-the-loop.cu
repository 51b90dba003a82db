// The sum is set to 0 for each tile.
// task: tiled_matmul
// refused by: emulator, nvcc
// says: Each sum has only the terms of the last tile
// change of: 04-no-second-barrier
@@
-    float sum = 0.0f;
+    float sum;
     for (int k0 = 0; k0 < K; k0 += TILE) {
+        sum = 0.0f;
@@
         }
+        __syncthreads();
