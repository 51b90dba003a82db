// dX has only its first term, as if the root of the row did not depend on the row.
// task: rms_norm_backward
// says: dX lacks the second term: each element also changes the root
// change of: solution 06-norm-backward
@@
-                dX[row * N + j] = r * (w[k] * d[k] - share * x[k]);
+                dX[row * N + j] = r * w[k] * d[k];
