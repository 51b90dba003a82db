// Row and column are exchanged in the index of the store.
// task: transposed_matmul
// says: right but in transposed order: row and column are swapped where the result is stored
// change of: 03-row-of-n-elements
@@
-            sum += A[k * M + i] * B[j * N + k];
+            sum += A[k * M + i] * B[j * K + k];
@@
-        C[i * N + j] = sum;
+        C[j * M + i] = sum;
