// A is indexed as in the product A @ B.T.
// task: transposed_matmul
// says: The transpose of A is lost: the kernel reads A\[i \* K \+ k\]
// change of: 03-row-of-n-elements
@@
-            sum += A[k * M + i] * B[j * N + k];
+            sum += A[i * K + k] * B[j * K + k];
