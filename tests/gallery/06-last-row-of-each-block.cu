// A thread replaces its sum for dW in each row, instead of adding to it.
// task: rms_norm_backward
// refused by: emulator, nvcc
// says: dW has only the last row of each block
// change of: 06-root-taken-as-constant
@@
-            if (j < N) dX[row * N + j] = r * W[j] * d[k];
+            if (j < N) dX[row * N + j] = r * (W[j] * d[k] - x[k] * r * r * shared / N);
-            dw[k] += d[k] * x[k] * r;
+            dw[k] = d[k] * x[k] * r;
