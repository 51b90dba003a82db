// Each product is assigned to the sum instead of added to the sum.
// task: transposed_matmul
// says: Each element is only its last term: each k overwrites the sum
// change of: 03-row-of-n-elements
@@
-            sum += A[k * M + i] * B[j * N + k];
+            sum = A[k * M + i] * B[j * K + k];
