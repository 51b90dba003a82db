// The two columns of a lane are stored four apart, as if each lane had a column.
// task: linear_bfloat16
// says: d\[0\] and d\[1\] are neighbours, in columns 2 h and 2 h \+ 1
// change of: solution 09-tensor
@@
-        C[(i0 + g + n / 2 * 8) * N + j0 + 2 * h + n % 2] = d[n];
+        C[(i0 + g + n / 2 * 8) * N + j0 + h + n % 2 * 4] = d[n];
