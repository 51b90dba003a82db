// The kernel gets a pointer to the scalar in the host's memory.
// refused by: tracer
// says: reads an address outside of all tensors
// change of: 02-adds
@@
-__global__ void scale_kernel(const float* A, float s, float* C, int64_t n) {
+__global__ void scale_kernel(const float* A, const float* s, float* C, int64_t n) {
@@
-        C[e] = A[e] + s;
+        C[e] = A[e] * *s;
@@
-    scale_kernel<<<(n + 255) / 256, 256>>>(A.data_ptr<float>(), s, C.data_ptr<float>(), n);
+    float value = s;
+    scale_kernel<<<(n + 255) / 256, 256>>>(A.data_ptr<float>(), &value, C.data_ptr<float>(), n);
