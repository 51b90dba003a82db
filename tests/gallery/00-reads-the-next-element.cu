// The kernel reads B one element too far.
// says: stores one element and reads the next element of B: both need the same index
// change of: 00-blocks-too-far-apart
@@
-    int i = blockIdx.x * 2 * blockDim.x + threadIdx.x;
+    int i = blockIdx.x * blockDim.x + threadIdx.x;
@@
-        C[i] = A[i] + B[i];
+        C[i] = A[i] + B[i + 1];
