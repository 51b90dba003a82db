// The grid's x counts columns and y counts rows, but the kernel uses x for rows and y for columns.
// task: transposed_matmul
// says: The grid reaches \d+ elements in x and \d+ in y; .* Are x and y exchanged, in the number of blocks
// change of: 03-row-of-n-elements
@@
-            sum += A[k * M + i] * B[j * N + k];
+            sum += A[k * M + i] * B[j * K + k];
@@
-    dim3 blocks((M + 31) / 32, (N + 7) / 8);
+    dim3 blocks((N + 31) / 32, (M + 7) / 8);
