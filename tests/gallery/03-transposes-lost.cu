// Both matrices are indexed as in a product without transposes.
// task: transposed_matmul
// says: Both transposes are lost: the kernel reads A\[i \* K \+ k\] and B\[k \* N \+ j\]
// change of: 03-row-of-n-elements
@@
-            sum += A[k * M + i] * B[j * N + k];
+            sum += A[i * K + k] * B[k * N + j];
