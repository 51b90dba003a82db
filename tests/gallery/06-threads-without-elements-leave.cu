// Threads without an element return before the sum over the block.
// task: rms_norm
// refused by: emulator
// hazards: divergent-barrier
// says: reached by \d+ of the block.s 256 threads
// change of: solution 06-norm
@@
+    if (threadIdx.x >= N) {
+        return;
+    }
     float x[kPerThread];
