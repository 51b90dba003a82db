// A thread replaces its sum for dW in each row, instead of adding to it.
// task: rms_norm_backward
// says: dW has only the last row of each block
// change of: solution 06-norm-backward
@@
-            dw[k] += d[k] * x[k] * r;
+            dw[k] = d[k] * x[k] * r;
