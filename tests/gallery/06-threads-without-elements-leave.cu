// Threads without an element return before the sum over the block.
// task: rms_norm
// refused by: emulator
// hazards: divergent-barrier
// says: reached by \d+ of the block.s 256 threads
// change of: 06-eps-outside-the-root
@@
+    if (threadIdx.x >= N) return;
     using Reduce = cub::BlockReduce<float, kThreads>;
@@
-    const float r = 1 / (sqrtf(total / N) + eps);
+    const float r = rsqrtf(total / N + eps);
