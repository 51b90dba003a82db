// Each tile is stored as it was loaded, with rows and columns exchanged.
// task: scalar_multiply_turned
// refused by: emulator
// hazards: uninitialised-read
// says: In each 32 x 32 tile, rows and columns are exchanged
// change of: 07-tile-not-padded
@@
-        if (i0 + y < M && j0 + x < N) C[(i0 + y) * N + j0 + x] = tile[x][y] * s;
+        if (i0 + y < M && j0 + x < N) C[(i0 + y) * N + j0 + x] = tile[y][x] * s;
