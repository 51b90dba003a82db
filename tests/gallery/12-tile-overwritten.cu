// The next round fills the tile while threads still read it.
// task: moving_average
// refused by: emulator
// hazards: race
// says: a race on the shared array tile.* a __syncthreads\(\) is missing after line \d+, before line \d+ runs again
// change of: 12-no-barrier
@@
-        if (j < N) C[j] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3;
-        __syncthreads();
+        __syncthreads();
+        if (j < N) C[j] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3;
