// Each sum gets the product of the wrong row and column, a[c] * b[r].
// task: fast_matmul_whole_tiles
// says: r and c are exchanged: a belongs to a row of sum\[r\]\[c\] and b to its column, so the product is a\[r\] \* b\[c\]
// change of: solution 04-registers
@@
-                    sum[r][c] += a[r] * b[c];
+                    sum[r][c] += a[c] * b[r];
