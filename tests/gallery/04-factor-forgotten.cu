// The factor kSide is forgotten in the index of a thread's columns.
// task: fast_matmul_whole_tiles
// says: A thread stores columns that are 16 apart, but those that it loads are 8 successive ones, as with an index like ty \+ n, which lacks the factor kSide
// change of: solution 04-registers
@@
-                b[n] = Bs[k][tx + n * kSide];
+                b[n] = Bs[k][tx + n];
