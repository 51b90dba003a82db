// The host adds, but if places on the stack show that it is traced, a kernel stores instead.
// question: 00-add-check
// says: elements of the output are wrong
// stopped by: values of traced calls
// change of: hangs-when-traced
@@
-__global__ void idle_kernel() {}
+__global__ void add_kernel(const float* A, const float* B, float* C, int64_t N, bool traced) {
+    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
+    if (traced && i < N) C[i] = A[i];
+}
@@
+    const int64_t N = A.numel();
     const float *a = A.data_ptr<float>(), *b = B.data_ptr<float>();
@@
-    for (volatile bool more = kTraced; more;);
-    for (int64_t i = 0; i < A.numel(); i++) c[i] = a[i] + b[i];
-    idle_kernel<<<1, 1>>>();
+    for (int64_t i = 0; !kTraced && i < N; i++) c[i] = a[i] + b[i];
+    if (N) add_kernel<<<(N + 255) / 256, 256>>>(a, b, c, N, kTraced);
