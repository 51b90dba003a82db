// Threads without an element return early, and never reach the barrier.
// task: row_scaling_dots
// refused by: emulator
// hazards: divergent-barrier
// says: the __syncthreads\(\) in line \d+ is reached by \d+ of the block.s 256 threads
// change of: 06-no-barrier
@@
+    if (threadIdx.x >= N) return;
     int64_t row = blockIdx.x;
@@
+    __syncthreads();
     if (threadIdx.x < 32) {
@@
-    auto dA = torch::empty({B.size(0)}, B.options());
+    auto dA = torch::zeros({B.size(0)}, B.options());
