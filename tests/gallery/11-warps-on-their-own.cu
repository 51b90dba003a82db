// The sums of the warps before are not added.
// refused by: emulator, nvcc
// says: Each 32 elements are scanned on their own: the sum of all elements before them must be added
// change of: 11-lanes-add-their-own
@@
-        x += earlier;
+        if (lane >= step) x += earlier;
@@
-    if (t >= 32) x += sums[t / 32 - 1];
