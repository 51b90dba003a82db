// Each thread still loops over a whole row, so neighbouring threads access addresses that are a row apart.
// task: row_scaling_few_sectors
// refused by: emulator, nvcc
// says: Let neighbouring threads of a warp access neighbouring elements
// change of: 01-guard-one-too-far
@@
-    const int64_t e = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;  // element of B and C
-    if (e <= M * N) {
-        C[e] = A[e / N] * B[e];
+    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;  // row of B and C
+    if (i < M) {
+        for (int64_t j = 0; j < N; ++j) {
+            C[i * N + j] = A[i] * B[i * N + j];
+        }
@@
-    scale_rows_kernel<<<course::cdiv(M * N, 256), 256>>>(
+    scale_rows_kernel<<<course::cdiv(M, 256), 256>>>(
