// Each row is multiplied only by the column with the same number, instead of by all columns.
// task: fast_matmul_whole_tiles
// says: The wrong elements are all 0, and all others are right
// change of: solution 04-registers
@@
-#pragma unroll
-                for (int c = 0; c < kMine; ++c) {
-                    sum[r][c] += a[r] * b[c];
-                }
+                sum[r][r] += a[r] * b[r];
