// The sum of the three elements is not divided.
// task: moving_average
// refused by: emulator, nvcc
// says: The sum is not divided by 3
// change of: 12-no-barrier
@@
-        if (j < N) C[j] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3;
+        __syncthreads();
+        if (j < N) C[j] = tile[t] + tile[t + 1] + tile[t + 2];
