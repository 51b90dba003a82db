// The loop over the columns steps by 1 in every thread of the block.
// task: row_scaling_by_block
// says: 255 threads stored element 254 of C\. Does a loop step by 1 instead of the number of threads that share it
// change of: 01-grid-for-the-rows
@@
-    int e = blockIdx.x * blockDim.x + threadIdx.x;
-    if (e < M * N) {
-        C[e] = A[e / N] * B[e];
+    int i = blockIdx.x;
+    for (int j = threadIdx.x; j < N; ++j) {
+        C[i * N + j] = A[i] * B[i * N + j];
@@
-    scale_rows_kernel<<<(M + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N);
+    scale_rows_kernel<<<M, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N);
