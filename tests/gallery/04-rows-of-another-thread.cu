// Each thread computes the rows ty, ty + 16, ..., but stores to eight successive rows.
// task: fast_matmul_whole_tiles
// says: Rows of C are exchanged with other rows, and columns with other columns
// change of: solution 04-registers
@@
-            C[(i0 + ty + r * kSide) * N + j0 + tx + c * kSide] = sum[r][c];
+            C[(i0 + ty * kMine + r) * N + j0 + tx * kMine + c] = sum[r][c];
