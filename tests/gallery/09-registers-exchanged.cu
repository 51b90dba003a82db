// Registers 1 and 2 of a are exchanged: the second has the next columns, not the next rows.
// task: linear_bfloat16
// says: a\[1\] and a\[2\] are exchanged: a\[1\] belongs to row g \+ 8
// change of: solution 09-tensor
@@
-            a[n] = pair(&X[(i0 + g + n % 2 * 8) * K + k0 + 2 * h + n / 2 * 8]);
+            a[n] = pair(&X[(i0 + g + n / 2 * 8) * K + k0 + 2 * h + n % 2 * 8]);
