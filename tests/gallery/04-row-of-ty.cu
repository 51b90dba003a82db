// Bs[j][k] is read with ty as j, but j is tx.
// task: tiled_matmul
// says: all columns are equal: the tile of B is read with ty
// change of: solution 04-jk
@@
-            sum += As[k][ty] * Bs[tx][k];
+            sum += As[k][ty] * Bs[ty][k];
