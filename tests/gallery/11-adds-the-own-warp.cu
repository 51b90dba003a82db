// Each warp adds the sum of all warps up to its own, which has its own elements again.
// task: cumsum_rows
// says: it needs the sum of the warps before it
// change of: solution 11-rows
@@
-        x += sums[warp - 1];
+        x += sums[warp];
