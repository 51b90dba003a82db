// The number of steps, K / TILE, is rounded down, so the last values of k are left out.
// task: tiled_matmul
// says: The last, partial tile of 16 values of k is missing: the number of steps was rounded down
// change of: solution 04-jk
@@
-    for (int64_t k0 = 0; k0 < K; k0 += kTile) {
+    for (int64_t t = 0; t < K / kTile; ++t) {
+        const int64_t k0 = t * kTile;
