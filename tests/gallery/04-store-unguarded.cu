// The loads have guards, but the store has no guard.
// task: tiled_matmul
// refused by: emulator
// hazards: out-of-bounds
// says: a kernel wrote elements past the end of the new tensor .* is the guard missing
// change of: solution 04-jk
@@
-    if (i0 + ty < M && j0 + tx < N) {
-        C[(i0 + ty) * N + j0 + tx] = sum;
-    }
+    C[(i0 + ty) * N + j0 + tx] = sum;
