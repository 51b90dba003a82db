// Adds in half precision, and returns float32.
// says: right to about 11 bits only: something was computed in half precision
// stopped by: tolerance
// change of: first-part
@@
+#include <cuda_fp16.h>
 #include <torch/extension.h>
@@
-    if (i < N) C[i] = i < 1000 ? A[i] + B[i] : 0.0f;
+    if (i < N) C[i] = __half2float(__hadd(__float2half(A[i]), __float2half(B[i])));
