// The kernel adds to C, which torch::empty does not set to 0.
// task: transposed_matmul
// says: Line \d+ .* adds to C, and new memory is not 0
// change of: 03-row-of-n-elements
@@
-        float sum = 0;
@@
-            sum += A[k * M + i] * B[j * N + k];
+            C[i * N + j] += A[k * M + i] * B[j * K + k];
@@
-        C[i * N + j] = sum;
