// Only threads that have an element of C enter the loop, so the other threads skip its barriers.
// refused by: emulator
// hazards: divergent-barrier
// says: __syncthreads\(\) in line \d+ is reached by \d+ of the block's 256 threads; .* every thread must reach it
// change of: 04-b-not-transposed
@@
-    float sum = 0.0f;
-...
-            sum += As[k][ty] * Bs[k][tx];
+    if (i < M && j < N) {
+        float sum = 0.0f;
+        for (int k0 = 0; k0 < K; k0 += TILE) {
+            As[ty][tx] = k0 + ty < K && blockIdx.y * TILE + tx < M ? A[(k0 + ty) * M + blockIdx.y * TILE + tx] : 0.0f;
+            Bs[tx][ty] = k0 + tx < K && blockIdx.x * TILE + ty < N ? B[(blockIdx.x * TILE + ty) * K + k0 + tx] : 0.0f;
+            __syncthreads();
+            for (int k = 0; k < TILE; k++) {
+                sum += As[k][ty] * Bs[k][tx];
+            }
+            __syncthreads();
@@
-        __syncthreads();
-    }
-    if (i < M && j < N) {
