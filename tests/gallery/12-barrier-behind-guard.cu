// Threads past the end of the row skip the barrier.
// task: moving_average
// refused by: emulator
// hazards: divergent-barrier
// says: threads of one block wait at different barriers, some in line \d+ and some in line \d+ .*: every thread must reach the same barrier
// change of: 12-no-barrier
@@
-        if (j < N) C[j] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3;
+        if (j < N) {
+            __syncthreads();
+            C[j] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3;
+        }
