// The host adds, but if places on the stack show that it is traced, a kernel stores instead.
// question: 00-add-check
// says: elements of the output are wrong
// stopped by: values of traced calls
// change of: hangs-when-traced
@@
-__global__ void idle_kernel() {}
+__global__ void copy_kernel(const float* A, float* C, int64_t N) {
+    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
+    if (i < N) C[i] = A[i];
+}
@@
-    for (volatile bool more = kTraced; more;);
-    idle_kernel<<<1, 1>>>();
+    if (N) copy_kernel<<<(N + 255) / 256, 256>>>(A.data_ptr<float>(), C.data_ptr<float>(), N);
+    if (kTraced) return C;
