// The number of blocks is rounded down in both dimensions of the grid.
// task: row_scaling
// hazards: bad-launch
// says: Every row from row 256 on and every column from column 224 on .* rounded down instead of up
// change of: 01-column-for-row
@@
-        C[i * N + j] = A[j] * B[i * N + j];
+        C[i * N + j] = A[i] * B[i * N + j];
@@
-    dim3 blocks((N + 31) / 32, (M + 7) / 8);
+    dim3 blocks(N / 32, M / 8);
