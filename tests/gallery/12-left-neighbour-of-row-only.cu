// Only the first tile of a row gets a left neighbour, which is 0; the others keep it.
// task: moving_average
// refused by: emulator, nvcc
// says: The first element of each tile of 256 has no left neighbour
// change of: 12-no-barrier
@@
-        if (t == 0) tile[0] = j > 0 ? B[j - 1] : 0;
+        if (j == 0) tile[0] = 0;
@@
-        if (j < N) C[j] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3;
+        __syncthreads();
+        if (j < N) C[j] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3;
