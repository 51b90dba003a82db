// The sums of the lanes are not added up.
// task: softmax_by_warp
// says: Each lane divides by the sum of its own places: a shuffle must add the sums of all 32 lanes
// change of: solution 13-warp
@@
-    for (int offset = kWarp / 2; offset > 0; offset /= 2) {
-        sum += __shfl_xor_sync(kAll, sum, offset);
-    }
