// The guard also stops the thread of the last element.
// says: Only the last element was never written: the guard ends one element too early
// change of: 00-blocks-too-far-apart
@@
-    int i = blockIdx.x * 2 * blockDim.x + threadIdx.x;
-    if (i < N) {
+    int i = blockIdx.x * blockDim.x + threadIdx.x;
+    if (i < N - 1) {
