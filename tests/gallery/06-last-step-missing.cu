// The shuffles end with a step of 2 instead of 1.
// task: row_scaling_dots
// refused by: emulator, nvcc
// says: Half of the lanes .*missing from the sum: the last step of the shuffles, or of the tree, must be 1
// change of: 06-no-barrier
@@
-    for (int step = 16; step > 0; step /= 2) x += __shfl_down_sync(0xffffffff, x, step);
+    for (int step = 16; step > 1; step /= 2) x += __shfl_down_sync(0xffffffff, x, step);
@@
+    __syncthreads();
     if (threadIdx.x < 32) {
