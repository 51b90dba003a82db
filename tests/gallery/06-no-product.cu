// Only dC is added up, without the factor B.
// task: row_scaling_dots
// refused by: emulator, nvcc
// says: dA is the sum of each row of dC alone
// change of: 06-no-barrier
@@
-    for (int64_t j = threadIdx.x; j < N; j += 256) sum += B[row * N + j] * dC[row * N + j];
+    for (int64_t j = threadIdx.x; j < N; j += 256) sum += dC[row * N + j];
@@
+    __syncthreads();
     if (threadIdx.x < 32) {
