// The maximum begins again at each tile, but the sums do not, so the tiles have different maxima.
// task: attention_causal_any
// refused by: emulator, nvcc
// says: Only the last tile's keys count: is the maximum set to -INFINITY inside the loop over tiles
// change of: 10-mask-one-key-late
@@
-    float max = -INFINITY, total = 0.0f, q[kDim], out[kDim] = {};
+    float max, total = 0.0f, q[kDim], out[kDim] = {};
@@
-        __syncthreads();
-        for (int j = 0; j < kTile; j++) {
+        __syncthreads();
+        max = -INFINITY;
+        for (int j = 0; j < kTile; j++) {
@@
-            if (j0 + j > i + 1 || j0 + j >= N) {
+            if (j0 + j > i) {
