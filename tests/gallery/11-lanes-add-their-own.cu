// The first lanes have no lane before them, and add their own value again.
// task: cumsum_rows
// refused by: emulator
// says: get their own value: add only if lane >= step
// change of: solution 11-rows
@@
-        const float earlier = __shfl_up_sync(kAllLanes, x, step);
-...
-        }
+        x += __shfl_up_sync(kAllLanes, x, step);
