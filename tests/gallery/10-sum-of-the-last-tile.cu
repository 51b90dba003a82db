// The sum of the exponentials begins again at each tile, so only the last tile is in it.
// task: attention_causal_any
// refused by: emulator, nvcc
// says: The sum of the exponentials has only the last tile's keys: is it set to 0 in the loop over tiles
// change of: 10-mask-one-key-late
@@
-    float max = -INFINITY, total = 0.0f, q[kDim], out[kDim] = {};
+    float max = -INFINITY, total, q[kDim], out[kDim] = {};
@@
-        __syncthreads();
-        for (int j = 0; j < kTile; j++) {
+        __syncthreads();
+        total = 0.0f;
+        for (int j = 0; j < kTile; j++) {
@@
-            if (j0 + j > i + 1 || j0 + j >= N) {
+            if (j0 + j > i) {
