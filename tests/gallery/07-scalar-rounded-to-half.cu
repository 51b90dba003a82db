// The scalar is converted to the type of the matrix, but half has no number above 65504.
// says: s was rounded to half, whose largest number is 65504, before it was used: keep s a float
// change of: 07-float-only
@@
-__global__ void scale_kernel(const float* A, float s, float* C, int64_t n) {
+template <typename T>
+__global__ void scale_kernel(const T* A, T s, T* C, int64_t n) {
@@
-    scale_kernel<<<(n + 255) / 256, 256>>>(A.data_ptr<float>(), s, C.data_ptr<float>(), n);
+    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, A.scalar_type(), "scale", [&] {
+        scale_kernel<scalar_t>
+            <<<(n + 255) / 256, 256>>>(A.data_ptr<scalar_t>(), static_cast<scalar_t>(s), C.data_ptr<scalar_t>(), n);
+    });
