// The grid-stride loop steps by 1 instead of the number of threads in the grid.
// task: scalar_multiply_by_stride
// hazards: timeout
// says: elements were stored by several threads: .* Does a loop step by 1 instead|Timeout: .* this is too much work
// change of: 02-starts-at-the-thread
@@
-#include <ATen/cuda/CUDAContext.h>
@@
-    for (int64_t e = threadIdx.x; e < n; e += static_cast<int64_t>(gridDim.x) * blockDim.x) {
+    for (int64_t e = blockIdx.x * blockDim.x + threadIdx.x; e < n; ++e) {
@@
-    int64_t n = A.numel();
+    const int64_t n = A.numel();
@@
-    int64_t blocks = std::min<int64_t>((n + 255) / 256, 132 * 2048 / 256);
+    const int64_t blocks = std::min<int64_t>((n + 255) / 256, 132 * 8);
