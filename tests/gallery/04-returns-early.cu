// Threads without an element of C return early, and never reach the barrier.
// task: tiled_matmul
// refused by: emulator
// hazards: divergent-barrier
// says: __syncthreads\(\) in line \d+ is reached by \d+ of the block's 256 threads; the others have returned: every thread must reach it
// first attempt: 04 blank page, yes
// change of: 04-no-second-barrier
@@
     int j = blockIdx.x * TILE + tx;  // column of C
+    if (i >= M || j >= N) return;
@@
+        __syncthreads();
     }
-    if (i < M && j < N) {
-        C[i * N + j] = sum;
-    }
+    C[i * N + j] = sum;
