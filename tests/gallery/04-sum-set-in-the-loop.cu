// The sum is set to 0 for each tile.
// task: tiled_matmul
// says: Each sum has only the terms of the last tile
// change of: solution 04-jk
@@
-    float sum = 0.0f;
+    float sum;
     for (int64_t k0 = 0; k0 < K; k0 += kTile) {
+        sum = 0.0f;
