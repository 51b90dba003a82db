// The guard compares the index of the element with the number of rows.
// says: 65,536 threads were launched, and only the first 257 \(= M\) stored anything: the guard must compare the index with the number of elements
// change of: 01-grid-for-the-rows
@@
-    if (e < M * N) {
+    if (e < M) {
@@
-    scale_rows_kernel<<<(M + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N);
+    scale_rows_kernel<<<(M * N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N);
