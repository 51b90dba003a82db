// Both registers of b have the first half of the values of k.
// task: linear_bfloat16
// refused by: emulator, nvcc
// says: b\[1\] has the values of k that b\[0\] has: it begins at
// change of: 09-registers-exchanged
@@
-            a[n] = pair(&X[(i0 + g + n / 2 * 8) * K + k0 + 2 * h + n % 2 * 8]);
+            a[n] = pair(&X[(i0 + g + n % 2 * 8) * K + k0 + 2 * h + n / 2 * 8]);
@@
-            b[n] = pair(&W[(j0 + g) * K + k0 + 2 * h + n * 8]);
+            b[n] = pair(&W[(j0 + g) * K + k0 + 2 * h]);
