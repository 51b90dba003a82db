// One thread computes a row of C, and does not set its sum to 0 for each column.
// task: transposed_matmul
// says: The sum is not set to 0 for each column: an element also contains the sums of earlier elements of its row
// change of: 03-row-of-n-elements
@@
-    int j = blockIdx.y * blockDim.y + threadIdx.y;  // column of C
-    if (i < M && j < N) {
+    if (i < M) {
@@
-        for (int k = 0; k < K; k++) {
-            sum += A[k * M + i] * B[j * N + k];
+        for (int j = 0; j < N; j++) {
+            for (int k = 0; k < K; k++) {
+                sum += A[k * M + i] * B[j * K + k];
+            }
+            C[i * N + j] = sum;
@@
-        C[i * N + j] = sum;
@@
-    dim3 threads(32, 8);
-    dim3 blocks((M + 31) / 32, (N + 7) / 8);
+    int threads = 64, blocks = (M + 63) / 64;
