// A is read at the index of the element instead of the row, so the kernel reads past the end of A.
// hazards: out-of-bounds
// says: A was read at the index of the element instead of at its row
// change of: 01-adds
@@
-        C[e] = A[e / N] + B[e];
+        C[e] = A[e] * B[e];
