// The first warp scans the sums of the warps before all of them are there.
// hazards: race
// says: a race on the shared array sums.* a __syncthreads\(\) is missing between line \d+ and line \d+
// change of: 11-lanes-add-their-own
@@
-        x += earlier;
+        if (lane >= step) x += earlier;
@@
-    __syncthreads();
     if (t < 32) sums[t] = warp_scan(sums[t]);
