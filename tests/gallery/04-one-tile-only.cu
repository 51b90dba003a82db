// The loop over the tiles is missing, so each sum has only the terms of the first tile.
// task: tiled_matmul
// says: Only the first 16 terms of each sum were added: the loop over the tiles of k is missing
// change of: solution 04-jk
@@
-    for (int64_t k0 = 0; k0 < K; k0 += kTile) {
+    const int64_t k0 = 0;
+    if (K > 0) {
