// The addresses in X and W do not use k0, so each step has the first 16 values of k.
// task: linear_bfloat16
// says: Each step uses the first 16 values of k again: the addresses must grow with k0
// change of: solution 09-tensor
@@
-            a[n] = pair(&X[(i0 + g + n % 2 * 8) * K + k0 + 2 * h + n / 2 * 8]);
+            a[n] = pair(&X[(i0 + g + n % 2 * 8) * K + 2 * h + n / 2 * 8]);
@@
-            b[n] = pair(&W[(j0 + g) * K + k0 + 2 * h + n * 8]);
+            b[n] = pair(&W[(j0 + g) * K + 2 * h + n * 8]);
