// The barrier is inside the guard of the load, so some threads skip the barrier in the last step.
// refused by: emulator
// hazards: divergent-barrier
// says: threads of one block wait at different barriers|is reached by .* every thread must reach it
// change of: 04-b-not-transposed
@@
-        As[ty][tx] = k0 + ty < K && blockIdx.y * TILE + tx < M ? A[(k0 + ty) * M + blockIdx.y * TILE + tx] : 0.0f;
-        Bs[ty][tx] = k0 + tx < K && blockIdx.x * TILE + ty < N ? B[(blockIdx.x * TILE + ty) * K + k0 + tx] : 0.0f;
+        As[ty][tx] = 0.0f;
+        Bs[tx][ty] = 0.0f;
+        if (k0 + ty < K && blockIdx.y * TILE + tx < M) {
+            As[ty][tx] = A[(k0 + ty) * M + blockIdx.y * TILE + tx];
+            __syncthreads();
+        }
+        if (k0 + tx < K && blockIdx.x * TILE + ty < N) {
+            Bs[tx][ty] = B[(blockIdx.x * TILE + ty) * K + k0 + tx];
+        }
