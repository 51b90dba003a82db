// The sum of the exponentials begins again at each tile, so only the last tile is in it.
// task: attention_causal_any
// says: The sum of the exponentials has only the last tile's keys: is it set to 0 in the loop over tiles
// change of: solution 10-causal
@@
-    float max = -INFINITY, total = 0.0f;
+    float max = -INFINITY, total;
@@
+        total = 0.0f;
         for (int c = 0; c < kKeys; c += kChunk) {
