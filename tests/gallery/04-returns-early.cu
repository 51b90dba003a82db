// Threads without an element of C return early, and never reach the barrier.
// refused by: emulator
// hazards: divergent-barrier
// says: __syncthreads\(\) in line \d+ is reached by \d+ of the block's 256 threads; the others have returned: every thread must reach it
// change of: 04-b-not-transposed
@@
+    if (i >= M || j >= N) return;
     float sum = 0.0f;
@@
-        Bs[ty][tx] = k0 + tx < K && blockIdx.x * TILE + ty < N ? B[(blockIdx.x * TILE + ty) * K + k0 + tx] : 0.0f;
+        Bs[tx][ty] = k0 + tx < K && blockIdx.x * TILE + ty < N ? B[(blockIdx.x * TILE + ty) * K + k0 + tx] : 0.0f;
@@
-    if (i < M && j < N) {
-        C[i * N + j] = sum;
-    }
+    C[i * N + j] = sum;
