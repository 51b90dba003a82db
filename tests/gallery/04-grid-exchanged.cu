// The grid's x counts blocks of rows, but the kernel uses x for columns.
// says: The grid reaches \d+ elements in x and \d+ in y; .* Are x and y exchanged, in the number of blocks
// change of: 04-b-not-transposed
@@
-        Bs[ty][tx] = k0 + tx < K && blockIdx.x * TILE + ty < N ? B[(blockIdx.x * TILE + ty) * K + k0 + tx] : 0.0f;
+        Bs[tx][ty] = k0 + tx < K && blockIdx.x * TILE + ty < N ? B[(blockIdx.x * TILE + ty) * K + k0 + tx] : 0.0f;
@@
-    dim3 blocks((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
+    dim3 blocks((M + TILE - 1) / TILE, (N + TILE - 1) / TILE);
