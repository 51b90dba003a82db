// Each warp has a sum, but only the first warp stores its sum.
// task: row_scaling_dots
// refused by: emulator, nvcc
// says: Only the first of the block's 8 warps is in the sum
// change of: 06-no-barrier
@@
-    __shared__ float sums[8];
-...
-    }
+    if (threadIdx.x == 0) dA[row] = sum;
