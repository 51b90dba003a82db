// Each warp adds the sum of all warps up to its own, which has its own elements again.
// refused by: emulator, nvcc
// says: it needs the sum of the warps before it
// change of: 11-lanes-add-their-own
@@
-        x += earlier;
+        if (lane >= step) x += earlier;
@@
-    if (t >= 32) x += sums[t / 32 - 1];
+    if (t >= 32) x += sums[t / 32];
