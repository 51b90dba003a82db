// Neighbouring threads load elements of B that are a row of B apart.
// task: tiled_matmul_few_sectors
// says: requests the most, .* 8 times the 3,072 that could hold these bytes\. Let neighbouring threads
// change of: solution 04-jk
@@
-constexpr int kTile = 16;  // rows and columns of a tile, and of a block
+constexpr int kTile = 32;  // rows and columns of a tile, and of a block
@@
-        Bs[ty][tx] = j0 + ty < N && k0 + tx < K ? B[(j0 + ty) * K + k0 + tx] : 0.0f;
+        Bs[tx][ty] = j0 + tx < N && k0 + ty < K ? B[(j0 + tx) * K + k0 + ty] : 0.0f;
