// The grid has one block per 256 rows, but each row needs its own block.
// refused by: emulator, nvcc
// says: each block stored one row, and \d+ rows need one block each
// change of: 01-endless-loop
@@
-    for (int64_t j = threadIdx.x; j < N; ) {  // column of B and C
+    for (int64_t j = threadIdx.x; j < N; j += blockDim.x) {  // column of B and C
@@
-    scale_rows_kernel<<<M, kThreads>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N);
+    scale_rows_kernel<<<course::cdiv(M, kThreads), kThreads>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N);
