// x still runs along j, so neighbouring threads read elements of B that are a row apart.
// task: transposed_matmul_few_sectors
// says: Let neighbouring threads of a warp access neighbouring elements
// change of: 03-sum-not-initialised
@@
-    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;  // row of C
-    const int64_t j = static_cast<int64_t>(blockIdx.y) * blockDim.y + threadIdx.y;  // column of C
+    const int64_t j = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;  // column of C
+    const int64_t i = static_cast<int64_t>(blockIdx.y) * blockDim.y + threadIdx.y;  // row of C
@@
-        float sum;
+        float sum = 0.0f;
@@
-    const dim3 blocks(course::cdiv(M, 32), course::cdiv(N, 8));
+    const dim3 blocks(course::cdiv(N, 32), course::cdiv(M, 8));
