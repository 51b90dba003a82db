// Each thread loads its three elements from global memory.
// task: moving_average
// refused by: emulator, nvcc
// says: requests to global memory, but the question asks for tiles that the threads share.* Load each element into the tile once
// change of: 12-no-barrier
@@
-        tile[t + 1] = j < N ? B[j] : 0;
-        if (t == 0) tile[0] = j > 0 ? B[j - 1] : 0;
-        if (t == 255) tile[257] = j + 1 < N ? B[j + 1] : 0;
-        if (j < N) C[j] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3;
-        __syncthreads();
+        if (j < N) C[j] = ((j > 0 ? B[j - 1] : 0) + B[j] + (j + 1 < N ? B[j + 1] : 0)) / 3;
