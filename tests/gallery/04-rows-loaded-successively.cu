// Each thread loads eight successive rows and columns, but stores the rows ty, ty + 16, ...
// task: fast_matmul_whole_tiles
// says: A thread stores rows and columns that are 16 apart, but those that it loads are 8 successive ones, as with an index like ty \* kMine \+ n
// change of: solution 04-registers
@@
-                a[n] = As[k][ty + n * kSide];
-                b[n] = Bs[k][tx + n * kSide];
+                a[n] = As[k][ty * kMine + n];
+                b[n] = Bs[k][tx * kMine + n];
