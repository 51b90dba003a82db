// The second term of dX has the sum over the row in place of the mean.
// task: rms_norm_backward
// refused by: emulator, nvcc
// says: The second term of dX has the sum over the row in place of the mean: divide by N
// change of: 06-root-taken-as-constant
@@
-            if (j < N) dX[row * N + j] = r * W[j] * d[k];
+            if (j < N) dX[row * N + j] = r * (W[j] * d[k] - x[k] * r * r * shared);
