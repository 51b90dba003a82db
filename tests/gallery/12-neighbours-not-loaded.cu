// Nobody loads the two neighbours of the tile.
// task: moving_average
// refused by: emulator
// hazards: uninitialised-read
// says: reads the shared array tile where nothing was written before.* is it filled everywhere
// change of: 12-no-barrier
@@
-        if (t == 0) tile[0] = j > 0 ? B[j - 1] : 0;
-        if (t == 255) tile[257] = j + 1 < N ? B[j + 1] : 0;
-        if (j < N) C[j] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3;
+        __syncthreads();
+        if (j < N) C[j] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3;
