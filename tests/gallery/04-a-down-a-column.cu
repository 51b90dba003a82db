// Neighbouring threads load elements of A that are a row of A apart.
// task: tiled_matmul_few_sectors
// says: requests the most, .*\. Let neighbouring threads
// change of: solution 04-jk
@@
-constexpr int kTile = 16;  // rows and columns of a tile, and of a block
+constexpr int kTile = 32;  // rows and columns of a tile, and of a block
@@
-        As[ty][tx] = k0 + ty < K && i0 + tx < M ? A[(k0 + ty) * M + i0 + tx] : 0.0f;
+        As[tx][ty] = k0 + tx < K && i0 + ty < M ? A[(k0 + tx) * M + i0 + ty] : 0.0f;
