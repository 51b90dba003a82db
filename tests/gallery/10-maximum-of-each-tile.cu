// The maximum begins again at each tile, but the sums do not, so the tiles have different maxima.
// task: attention_causal_any
// says: Only the last tile's keys count: is the maximum set to -INFINITY inside the loop over tiles
// change of: solution 10-causal
@@
-    float max = -INFINITY, total = 0.0f;
+    float max, total = 0.0f;
@@
+        max = -INFINITY;
         for (int c = 0; c < kKeys; c += kChunk) {
