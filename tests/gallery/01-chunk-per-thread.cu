// Each thread of a row's block computes a chunk of neighbouring columns.
// refused by: emulator, nvcc
// says: Let neighbouring threads of a warp access neighbouring elements
// change of: 01-endless-loop
@@
-    for (int64_t j = threadIdx.x; j < N; ) {  // column of B and C
+    const int64_t each = (N + kThreads - 1) / kThreads, first = threadIdx.x * each;  // columns of this thread
+    for (int64_t j = first; j < first + each && j < N; ++j) {
