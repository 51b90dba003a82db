// Each lane subtracts the maximum of its own places.
// task: softmax_by_warp
// says: infinity is subtracted from infinity because a maximum is still -INFINITY
// change of: solution 13-warp
@@
-    }
-    for (int offset = kWarp / 2; offset > 0; offset /= 2) {
-        highest = fmaxf(highest, __shfl_xor_sync(kAll, highest, offset));
