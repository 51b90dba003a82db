// The loop over k ends one term too early.
// task: transposed_matmul
// says: The last term of each sum is missing: the loop over k must go on while k < K
// change of: 03-row-of-n-elements
@@
-        for (int k = 0; k < K; k++) {
-            sum += A[k * M + i] * B[j * N + k];
+        for (int k = 0; k < K - 1; k++) {
+            sum += A[k * M + i] * B[j * K + k];
