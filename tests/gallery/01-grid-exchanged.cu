// The grid's x counts rows and y counts columns, but the kernel uses x for columns and y for rows.
// task: row_scaling
// says: The grid reaches \d+ elements in x and \d+ in y; .* Are x and y exchanged, in the number of blocks
// change of: 01-column-for-row
@@
-        C[i * N + j] = A[j] * B[i * N + j];
+        C[i * N + j] = A[i] * B[i * N + j];
@@
-    dim3 blocks((N + 31) / 32, (M + 7) / 8);
+    dim3 blocks((M + 31) / 32, (N + 7) / 8);
