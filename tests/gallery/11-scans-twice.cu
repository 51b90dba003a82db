// The first kernel scans and stores, and the last kernel adds: four passes instead of three.
// says: the question asks for three passes over the array.* Let the first kernel store only the sum of each chunk
// change of: 11-chunks-on-their-own
@@
-__global__ void sum_kernel(const float* A, float* sums, int64_t N, int64_t chunk) {
-...
-}
+__global__ void sum_kernel(const float* A, float* sums, float* C, int64_t N) {
+    int64_t i = blockIdx.x * 1024 + threadIdx.x;
+    float x = block_scan(i < N ? A[i] : 0);
+    if (i < N) C[i] = x;
+    if (threadIdx.x == 1023) sums[blockIdx.x] = x;
+}
@@
-    __shared__ float total;
-...
-    }
+    int64_t i = blockIdx.x * 1024 + threadIdx.x;
+    if (i < N) C[i] += before[blockIdx.x];
@@
-    sum_kernel<<<blocks, 1024>>>(A.data_ptr<float>(), sums.data_ptr<float>(), N, chunk);
+    sum_kernel<<<blocks, 1024>>>(A.data_ptr<float>(), sums.data_ptr<float>(), C.data_ptr<float>(), N);
