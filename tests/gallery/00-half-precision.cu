// The sum is computed in half precision, "to be faster".
// says: Every element is right to about 11 bits only: something was computed in half precision
// change of: 00-blocks-too-far-apart
@@
-    int i = blockIdx.x * 2 * blockDim.x + threadIdx.x;
+    int i = blockIdx.x * blockDim.x + threadIdx.x;
@@
-        C[i] = A[i] + B[i];
+        C[i] = __half2float(__hadd(__float2half(A[i]), __float2half(B[i])));
