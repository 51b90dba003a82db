// Only lanes that have a lane before them make the call of the shuffle.
// hazards: divergent-warp
// says: names lanes in its mask \(0xFFFFFFFF\) that never reach it
// change of: 11-lanes-add-their-own
@@
-        float earlier = __shfl_up_sync(0xffffffff, x, step);
-        x += earlier;
+        if (lane >= step) x += __shfl_up_sync(0xffffffff, x, step);
