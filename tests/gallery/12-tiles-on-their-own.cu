// The neighbours of each tile are 0, not only those of the row.
// task: moving_average
// refused by: emulator, nvcc
// says: Each tile of 256 elements is averaged on its own
// change of: 12-no-barrier
@@
-        if (t == 0) tile[0] = j > 0 ? B[j - 1] : 0;
-        if (t == 255) tile[257] = j + 1 < N ? B[j + 1] : 0;
-        if (j < N) C[j] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3;
+        if (t == 0) tile[0] = tile[257] = 0;
+        __syncthreads();
+        if (j < N) C[j] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3;
