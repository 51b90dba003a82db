// The launch has only one block, for matrices of any size.
// task: fast_matmul_whole_tiles
// says: The grid has one dimension .* so blockIdx.y is always 0
// change of: solution 04-registers
@@
-    matmul_kernel<<<blocks, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
+    matmul_kernel<<<1, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
