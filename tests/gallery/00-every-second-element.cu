// Each thread should compute two elements, but computes only the first of the two.
// says: Only one of every 2 elements was written
// change of: 00-blocks-too-far-apart
@@
-    int i = blockIdx.x * 2 * blockDim.x + threadIdx.x;
+    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
