// For an empty matrix, the launch has no blocks, and the wrapper's error says only that the launch failed.
// task: scalar_multiply
// hazards: bad-launch
// says: a grid of (no blocks cannot be launched|\(0, 1, 1\) has no blocks: return early when there is nothing to do)|a grid needs at least one block
// change of: 07-float-only
@@
 #include <torch/extension.h>
+
+#include <stdexcept>
+#include <string>
@@
-    TORCH_CHECK(A.is_cuda() && A.is_contiguous(), "A must be a contiguous tensor on the GPU");
@@
-    if (n == 0) return C;
@@
     scale_kernel<<<(n + 255) / 256, 256>>>(A.data_ptr<float>(), s, C.data_ptr<float>(), n);
+    cudaError_t error = cudaGetLastError();
+    if (error != cudaSuccess) {
+        throw std::runtime_error(std::string("scale failed: ") + cudaGetErrorString(error));
+    }
