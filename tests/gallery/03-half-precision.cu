// Each product is rounded to half precision before it is added to the sum.
// task: transposed_matmul
// says: The errors are those of inputs rounded to 11 bits: something was computed in half precision
// change of: 03-row-of-n-elements
@@
 #include <torch/extension.h>
+
+#include <cuda_fp16.h>
@@
-            sum += A[k * M + i] * B[j * N + k];
+            sum += __half2float(__float2half(A[k * M + i])) * B[j * K + k];
