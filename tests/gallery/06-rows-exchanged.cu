// Row and column are exchanged, so the matrix is read as if it were stored column by column.
// task: row_scaling_dots
// refused by: emulator
// says: The matrix was read as if it were stored column by column. Element
// change of: 06-tree-barrier-after-each-step
@@
-        sum += B[i * N + j] * dC[i * N + j];
+        sum += B[j * M + i] * dC[j * M + i];
@@
+    __syncthreads();
     for (int half = kThreads / 2; half > 0; half /= 2) {
