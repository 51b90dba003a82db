// The shuffles begin with a step of 8 lanes instead of 16.
// task: row_scaling_dots
// refused by: emulator, nvcc
// says: Only the first 16 lanes of each warp are in the sum
// change of: 06-no-barrier
@@
-    for (int step = 16; step > 0; step /= 2) x += __shfl_down_sync(0xffffffff, x, step);
+    for (int step = 8; step > 0; step /= 2) x += __shfl_down_sync(0xffffffff, x, step);
@@
+    __syncthreads();
     if (threadIdx.x < 32) {
