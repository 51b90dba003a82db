// The warps add to dA, which torch::empty does not set to 0.
// task: row_scaling_dots_long
// refused by: emulator, nvcc
// says: Line \d+ .* adds to dA, and new memory is not 0
// change of: 06-adds-without-atomics
@@
-    if (threadIdx.x % 32 == 0) dA[row] += sum;
+    if (threadIdx.x % 32 == 0) atomicAdd(&dA[row], sum);
@@
-    auto dA = torch::zeros({B.size(0)}, B.options());
+    auto dA = torch::empty({B.size(0)}, B.options());
