// The kernel's parameter for the scalar is an int.
// says: s was cut to an integer on its way to the kernel
// change of: 02-adds
@@
-__global__ void scale_kernel(const float* A, float s, float* C, int64_t n) {
+__global__ void scale_kernel(const float* A, int s, float* C, int64_t n) {
@@
-        C[e] = A[e] + s;
+        C[e] = A[e] * s;
