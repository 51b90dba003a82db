// B is indexed as in the product A.T @ B.
// task: transposed_matmul
// says: The transpose of B is lost: the kernel reads B\[k \* N \+ j\]
// change of: 03-row-of-n-elements
@@
-            sum += A[k * M + i] * B[j * N + k];
+            sum += A[k * M + i] * B[k * N + j];
