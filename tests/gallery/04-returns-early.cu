// Threads without an element of C return early, and never reach the barrier.
// task: tiled_matmul
// refused by: emulator
// hazards: divergent-barrier
// says: __syncthreads\(\) in line \d+ is reached by \d+ of the block's 256 threads; the others have returned: every thread must reach it
// change of: solution 04-jk
@@
+    if (i0 + ty >= M || j0 + tx >= N) {
+        return;
+    }
     float sum = 0.0f;
