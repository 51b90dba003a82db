// The number of blocks and the number of threads are exchanged in the launch.
// task: tiled_matmul_padded
// says: the number of blocks comes first, but line .* passes threads first
// change of: solution 04-jk
@@
-    tiled_matmul_kernel<kPad><<<blocks, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
+    tiled_matmul_kernel<kPad><<<threads, blocks, 0, at::cuda::getCurrentCUDAStream()>>>(
