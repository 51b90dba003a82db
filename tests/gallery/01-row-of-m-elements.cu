// The index assumes rows of M elements, but each row has N elements.
// task: row_scaling_by_grid
// hazards: out-of-bounds
// says: Rows were read as if each had M elements; each row has N, so the index is row \* N \+ column
// change of: 01-column-for-row
@@
-        C[i * N + j] = A[j] * B[i * N + j];
+        int index = i * M + j;
+        C[index] = A[i] * B[index];
