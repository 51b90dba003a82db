// The load of B has no guard.
// task: tiled_matmul
// refused by: emulator
// hazards: out-of-bounds
// says: line \d+ \(.?Bs\[ty\]\[tx\] = .*.?\) reads past the end of B
// change of: solution 04-jk
@@
-        Bs[ty][tx] = j0 + ty < N && k0 + tx < K ? B[(j0 + ty) * K + k0 + tx] : 0.0f;
+        Bs[ty][tx] = B[(j0 + ty) * K + k0 + tx];
