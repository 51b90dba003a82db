// The grid's x counts blocks of rows, but the kernel uses x for columns.
// task: tiled_matmul
// refused by: emulator, nvcc
// says: The grid reaches \d+ elements in x and \d+ in y; .* Are x and y exchanged, in the number of blocks
// first attempt: 04 blank page, yes
// change of: 04-no-second-barrier
@@
         }
+        __syncthreads();
@@
-    dim3 blocks((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
+    dim3 blocks((M + TILE - 1) / TILE, (N + TILE - 1) / TILE);
