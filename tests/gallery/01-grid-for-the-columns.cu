// The grid has one thread per column, but the kernel computes one element per thread.
// says: The launch had \d+ blocks? of 256 threads, \d+ in all; [\d,]+ elements need one thread each
// change of: 01-grid-for-the-rows
@@
-    scale_rows_kernel<<<(M + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N);
+    scale_rows_kernel<<<(N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N);
