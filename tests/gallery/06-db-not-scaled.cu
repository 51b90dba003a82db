// dB is the same as dC, because the factor of the row is missing.
// task: row_scaling_backward
// says: dB is dC itself: A\[row\] is not used
// change of: 06-db-is-forward
@@
-        dB[row * N + j] = A[row] * B[row * N + j];
+        dB[row * N + j] = dC[row * N + j];
