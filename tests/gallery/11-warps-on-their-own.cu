// The sums of the warps before are not added.
// task: cumsum_rows_by_shuffles
// refused by: emulator, nvcc
// says: Only each warp of 32 elements is scanned: the sums of the warps before it are missing
// change of: 11-lanes-add-their-own
@@
-        x += earlier;
+        if (lane >= step) x += earlier;
@@
-    if (t >= 32) x += sums[t / 32 - 1];
