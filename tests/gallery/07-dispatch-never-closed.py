# The dispatch macro ends with } instead of });.
# task: scalar_multiply_types
# refused by: emulator
# says: line \d+: error: AT_DISPATCH_FLOATING_TYPES_AND2\( is never closed: it must end with \}\);
# change of: 02-scalar-of-the-benchmark
@@
-cuda_source = """
+cuda_source = r"""
+#include <ATen/cuda/CUDAContext.h>
@@
-__global__ void scale_kernel(const float* A, float s, float* C, int64_t n) {
+template <typename T>
+__global__ void scale_kernel(const T* A, double s, T* C, int64_t n) {
@@
-        C[e] = A[e] * s;
+        C[e] = static_cast<T>(A[e] * s);
@@
 torch::Tensor scale(torch::Tensor A, double s) {
+    TORCH_CHECK(A.is_cuda() && A.is_contiguous(), "A must be a contiguous tensor on the GPU");
@@
-    scale_kernel<<<(n + 255) / 256, 256>>>(A.data_ptr<float>(), s, C.data_ptr<float>(), n);
+    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, A.scalar_type(), "scale", [&] {
+        scale_kernel<scalar_t><<<(n + 255) / 256, 256>>>(A.data_ptr<scalar_t>(), s, C.data_ptr<scalar_t>(), n);
+    }
@@
-    name="scaling",
+    name="packaged_scale",
@@
-        return module.scale(A, 3.14)
+        return module.scale(A, s)
