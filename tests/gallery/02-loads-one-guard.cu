// Each thread computes four elements, but the guard checks only the first of the four.
// refused by: emulator
// hazards: out-of-bounds
// says: a kernel wrote elements past the end of the new tensor .* is the guard missing
// change of: 02-loads-side-by-side
@@
-    for (int k = 0; k < kLoads; ++k) {
-        if (first + k < n) a[k] = A[first + k];
-...
-        if (first + k < n) C[first + k] = a[k] * s;
+    if (first < n) {
+        for (int k = 0; k < kLoads; ++k) a[k] = A[first + k * kThreads];
+        for (int k = 0; k < kLoads; ++k) C[first + k * kThreads] = a[k] * s;
