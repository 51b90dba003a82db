// Each row has its own weight, but the weights belong to the columns.
// task: rms_norm
// says: W\[row\] is used, but each column has its own factor
// change of: solution 06-norm
@@
-            Y[start + j] = x[k] * r * W[j];
+            Y[start + j] = x[k] * r * W[blockIdx.x % N];
