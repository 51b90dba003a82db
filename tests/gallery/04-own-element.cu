// Each thread multiplies by the element of A that it has loaded, which belongs to another column.
// task: tiled_matmul_first_tile
// says: Each thread multiplies by the element of A that it has loaded itself
// change of: solution 04-one-tile
@@
-    __shared__ float As[kTile][kTile];  // As[i][k]
+    __shared__ float As[kTile][kTile];  // As[k][i]
@@
-    As[tx][ty] = a;
+    As[ty][tx] = a;
@@
-            sum += As[ty][k] * b;
+            sum += a * b;
