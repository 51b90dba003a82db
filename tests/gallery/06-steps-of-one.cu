// Each thread steps by 1 instead of the number of threads.
// task: row_scaling_dots
// refused by: emulator, nvcc
// says: Several threads added the same terms: each thread must step by
// change of: 06-tree-barrier-after-each-step
@@
-    for (int64_t j = t; j < N; j += kThreads) {
+    for (int64_t j = t; j < N; ++j) {
@@
+    __syncthreads();
     for (int half = kThreads / 2; half > 0; half /= 2) {
