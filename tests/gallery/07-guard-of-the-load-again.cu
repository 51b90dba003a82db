// The store has the guard of the load, but it stores another element.
// task: scalar_multiply_turned
// refused by: emulator
// hazards: out-of-bounds
// says: line 18 .* writes past the end of the new tensor
// change of: 07-tile-not-padded
@@
-        if (i0 + y < M && j0 + x < N) C[(i0 + y) * N + j0 + x] = tile[x][y] * s;
+        if (i0 + x < M && j0 + y < N) C[(i0 + y) * N + j0 + x] = tile[x][y] * s;
