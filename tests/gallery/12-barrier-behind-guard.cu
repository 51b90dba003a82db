// Threads past the end of the row skip the barrier.
// task: moving_average
// refused by: emulator
// hazards: divergent-barrier
// says: threads of one block wait at different barriers, some in line \d+ and some in line \d+ .*: every thread must reach the same barrier
// change of: solution 12-barriers
@@
-        __syncthreads();  // the tile is full
         if (j < N) {
+            __syncthreads();
