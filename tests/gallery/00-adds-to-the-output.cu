// The kernel adds to an output that was never set to 0.
// says: adds to C, and new memory is not 0: store with =
// change of: 00-blocks-too-far-apart
@@
-    int i = blockIdx.x * 2 * blockDim.x + threadIdx.x;
+    int i = blockIdx.x * blockDim.x + threadIdx.x;
@@
-        C[i] = A[i] + B[i];
+        C[i] += A[i] + B[i];
