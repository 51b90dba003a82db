// The kernel is right, but the wrapper returns A instead of the output.
// says: The output equals A unchanged: .*returns the wrong tensor
// change of: 00-blocks-too-far-apart
@@
-    int i = blockIdx.x * 2 * blockDim.x + threadIdx.x;
+    int i = blockIdx.x * blockDim.x + threadIdx.x;
@@
-    return C;
+    return A;
