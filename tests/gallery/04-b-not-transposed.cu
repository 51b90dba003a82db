// The tile of B is stored in the same order as in B, but used as if it had been transposed.
// task: tiled_matmul
// says: The tile of B is used without its transpose
// change of: solution 04-jk
@@
-            sum += As[k][ty] * Bs[tx][k];
+            sum += As[k][ty] * Bs[k][tx];
