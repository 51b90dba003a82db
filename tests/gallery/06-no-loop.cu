// Each thread adds only one element, but a row may be longer than its block.
// task: row_scaling_dots
// refused by: emulator, nvcc
// says: Each row's sum ends after 256 elements
// change of: 06-no-barrier
@@
-    for (int64_t j = threadIdx.x; j < N; j += 256) sum += B[row * N + j] * dC[row * N + j];
+    int64_t j = threadIdx.x;
+    if (j < N) sum += B[row * N + j] * dC[row * N + j];
@@
+    __syncthreads();
     if (threadIdx.x < 32) {
