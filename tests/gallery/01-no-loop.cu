// Each thread of a row's block computes only one element, but a row may be longer than its block.
// refused by: emulator, nvcc
// says: 256 threads per row reach 256 columns, but a row has [\d,]+: each thread needs a loop with the step blockDim\.x
// change of: 01-endless-loop
@@
-    for (int64_t j = threadIdx.x; j < N; ) {  // column of B and C
+    const int64_t j = threadIdx.x;  // column of B and C
+    if (j < N) {
