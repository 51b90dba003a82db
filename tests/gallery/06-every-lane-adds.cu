// All lanes add their values after the shuffles, not only lane 0.
// task: row_scaling_dots_long
// refused by: emulator, nvcc
// says: Every lane adds its value after the shuffles
// change of: 06-adds-without-atomics
@@
-    if (threadIdx.x % 32 == 0) dA[row] += sum;
+    atomicAdd(&dA[row], sum);
