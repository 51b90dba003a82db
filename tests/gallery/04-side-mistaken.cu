// The rows of a thread are kMine apart where they are loaded, and kSide apart where they are stored.
// task: fast_matmul_whole_tiles
// says: A thread stores rows that are 16 apart, but those that it loads are 8 apart, as with the factor kMine in place of kSide
// change of: solution 04-registers
@@
-                a[n] = As[k][ty + n * kSide];
+                a[n] = As[k][ty + n * kMine];
