// A row of only -infinity is handled separately, and becomes 0.
// task: softmax
// says: Rows of only -infinity became 0: PyTorch gives NaN there
// change of: 08-first-warp-only
@@
-    for (int w = 1; w < (maximum ? blockDim.x / 32 : 1); w++) {
+    for (int w = 1; w < blockDim.x / 32; w++) {
@@
+    if (highest == -INFINITY) {
+        for (int64_t j = threadIdx.x; j < N; j += blockDim.x) C[blockIdx.x * N + j] = 0.0f;
+        return;
+    }
     float sum = 0.0f;
