// The kernel computes an element's row as index / M, but each row has N elements.
// task: row_scaling_by_element
// hazards: out-of-bounds
// says: The row was computed as index / M; a row of B has N elements, so the row is index / N
// change of: 01-adds
@@
-        C[e] = A[e / N] + B[e];
+        C[e] = A[e / M] * B[e];
