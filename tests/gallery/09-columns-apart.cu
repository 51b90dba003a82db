// The two columns of a lane are stored four apart, as if each lane had a column.
// task: linear_bfloat16
// refused by: emulator, nvcc
// says: d\[0\] and d\[1\] are neighbours, in columns 2 h and 2 h \+ 1
// change of: 09-registers-exchanged
@@
-            a[n] = pair(&X[(i0 + g + n / 2 * 8) * K + k0 + 2 * h + n % 2 * 8]);
+            a[n] = pair(&X[(i0 + g + n % 2 * 8) * K + k0 + 2 * h + n / 2 * 8]);
@@
-        C[(i0 + g + n / 2 * 8) * N + j0 + 2 * h + n % 2] = d[n];
+        C[(i0 + g + n / 2 * 8) * N + j0 + h + n % 2 * 4] = d[n];
