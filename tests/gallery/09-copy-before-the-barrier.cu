// The next copy starts before the barrier, and writes to a place that other threads still read.
// task: fast_matmul_whole_tiles
// refused by: tracer
// says: between the last use of that memory and the copy
// change of: 09-no-barrier
@@
+        __syncthreads();
         multiply(slot);
