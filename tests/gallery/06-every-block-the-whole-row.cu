// Each of a row's 16 blocks adds up the whole row.
// task: row_scaling_dots_long
// refused by: emulator, nvcc
// says: Every element is 16 times what it should be
// change of: 06-adds-without-atomics
@@
-    int64_t row = blockIdx.x, step = gridDim.y * 256;
+    int64_t row = blockIdx.x;
@@
-    for (int64_t j = blockIdx.y * 256 + threadIdx.x; j < N; j += step) sum += B[row * N + j] * dC[row * N + j];
+    for (int64_t j = threadIdx.x; j < N; j += 256) sum += B[row * N + j] * dC[row * N + j];
@@
-    if (threadIdx.x % 32 == 0) dA[row] += sum;
+    if (threadIdx.x % 32 == 0) atomicAdd(&dA[row], sum);
