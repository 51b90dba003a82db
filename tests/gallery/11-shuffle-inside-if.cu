// Only lanes that have a lane before them make the call of the shuffle.
// task: cumsum_rows
// refused by: emulator
// hazards: divergent-warp
// says: names lanes in its mask \(0xFFFFFFFF\) that never reach it
// change of: solution 11-rows
@@
-        const float earlier = __shfl_up_sync(kAllLanes, x, step);
         if (threadIdx.x % kWarp >= step) {
-            x += earlier;
+            x += __shfl_up_sync(kAllLanes, x, step);
