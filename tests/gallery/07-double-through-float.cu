// The scalar is a float for every type, so a double matrix is multiplied by a rounded number.
// says: s was rounded to float on its way to the kernel, and A is double: pass s as a double
// change of: 07-half-not-dispatched
@@
-__global__ void scale_kernel(const T* A, double s, T* C, int64_t n) {
+__global__ void scale_kernel(const T* A, float s, T* C, int64_t n) {
@@
-    AT_DISPATCH_FLOATING_TYPES(A.scalar_type(), "scale", [&] {
+    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, A.scalar_type(), "scale", [&] {
@@
-            <<<(n + 255) / 256, 256>>>(A.data_ptr<scalar_t>(), static_cast<double>(s), C.data_ptr<scalar_t>(), n);
+            <<<(n + 255) / 256, 256>>>(A.data_ptr<scalar_t>(), static_cast<float>(s), C.data_ptr<scalar_t>(), n);
