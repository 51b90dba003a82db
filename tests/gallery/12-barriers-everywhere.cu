// A barrier follows every statement.
// task: moving_average
// refused by: emulator, nvcc
// says: barriers, but the question asks for tiles .* wait only when the tile is full and before it is overwritten
// change of: 12-no-barrier
@@
-        tile[t + 1] = j < N ? B[j] : 0;
+        tile[t + 1] = j < N ? B[j] : 0;
+        __syncthreads();
@@
-        if (j < N) C[j] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3;
+        __syncthreads();
+        if (j < N) C[j] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3;
