// The wrapper uses the current stream, but does not include the header that declares it.
// task: transposed_matmul
// says: Is #include <ATen/cuda/CUDAContext.h> missing\?
// change of: 03-row-of-n-elements
@@
-#include <ATen/cuda/CUDAContext.h>
@@
-            sum += A[k * M + i] * B[j * N + k];
+            sum += A[k * M + i] * B[j * K + k];
@@
-    C10_CUDA_KERNEL_LAUNCH_CHECK();
