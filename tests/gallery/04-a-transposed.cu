// The tile of A is read with its two indices exchanged.
// task: tiled_matmul
// says: The tile of A is transposed: within each 32 x 32 tile
// change of: solution 04-jk
@@
-constexpr int kTile = 16;  // rows and columns of a tile, and of a block
+constexpr int kTile = 32;  // rows and columns of a tile, and of a block
@@
-            sum += As[k][ty] * Bs[tx][k];
+            sum += As[ty][k] * Bs[tx][k];
