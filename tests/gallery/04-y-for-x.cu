// The thread's column is computed from threadIdx.y.
// says: no kernel reads threadIdx.x: threads that differ only in threadIdx.x
// change of: 04-one-block
@@
-    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * kSide + tx;
+    const int tx = threadIdx.y, ty = threadIdx.y, t = ty * kSide + tx;
@@
-    matmul_kernel<<<1, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
+    matmul_kernel<<<blocks, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
