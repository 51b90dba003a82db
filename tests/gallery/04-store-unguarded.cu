// The loads have guards, but the store has no guard.
// refused by: emulator
// hazards: out-of-bounds
// says: a kernel wrote elements past the end of the new tensor .* is the guard missing
// change of: 04-b-not-transposed
@@
-        Bs[ty][tx] = k0 + tx < K && blockIdx.x * TILE + ty < N ? B[(blockIdx.x * TILE + ty) * K + k0 + tx] : 0.0f;
+        Bs[tx][ty] = k0 + tx < K && blockIdx.x * TILE + ty < N ? B[(blockIdx.x * TILE + ty) * K + k0 + tx] : 0.0f;
@@
-    if (i < M && j < N) {
-        C[i * N + j] = sum;
-    }
+    C[i * N + j] = sum;
