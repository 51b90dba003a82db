// Both registers of b have the first half of the values of k.
// task: linear_bfloat16
// says: b\[1\] has the values of k that b\[0\] has: it begins at
// change of: solution 09-tensor
@@
-            b[n] = pair(&W[(j0 + g) * K + k0 + 2 * h + n * 8]);
+            b[n] = pair(&W[(j0 + g) * K + k0 + 2 * h]);
