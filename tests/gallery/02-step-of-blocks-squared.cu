// The loop steps by gridDim.x * gridDim.x instead of the number of threads in the grid.
// task: scalar_multiply_by_stride
// says: The number of threads in the grid is gridDim.x \* blockDim.x, but line
// change of: solution 02-stride
@@
-    const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;  // threads of the grid
+    const int64_t step = static_cast<int64_t>(gridDim.x) * gridDim.x;  // threads of the grid
