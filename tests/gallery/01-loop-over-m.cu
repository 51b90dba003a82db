// Each row has one thread, but its loop ends after M elements instead of N.
// hazards: out-of-bounds
// says: Every column from column 3 on was never written: rows and columns are exchanged, in the grid or in a loop
// change of: 01-adds
@@
-    int e = blockIdx.x * blockDim.x + threadIdx.x;
-    if (e < M * N) {
-        C[e] = A[e / N] + B[e];
+    int i = blockIdx.x * blockDim.x + threadIdx.x;  // row
+    if (i < M) {
+        for (int j = 0; j < M; j++) {
+            C[i * N + j] = A[i] * B[i * N + j];
+        }
@@
-    scale_kernel<<<(M * N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N);
+    scale_kernel<<<(M + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N);
