// The result is stored column by column.
// task: row_scaling
// says: transposed order: row and column are swapped where the result is stored
// change of: 01-column-for-row
@@
-        C[i * N + j] = A[j] * B[i * N + j];
+        C[j * M + i] = A[i] * B[i * N + j];
