// The kernel computes the index of a block's first thread as blockIdx.x * gridDim.x.
// task: transposed_matmul
// says: The index of a block's first thread is blockIdx.x \* blockDim.x, but line
// change of: solution 03-along-i
@@
-    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;  // row of C
+    const int64_t i = static_cast<int64_t>(blockIdx.x) * gridDim.x + threadIdx.x;  // row of C
