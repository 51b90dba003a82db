// The sums of the warps before are not added.
// task: cumsum_rows
// says: Each 32 elements are scanned on their own: the sum of all elements before them must be added
// change of: solution 11-rows
@@
-    if (warp > 0) {
-        x += sums[warp - 1];
-    }
