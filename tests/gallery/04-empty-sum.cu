// If K is 0, the wrapper returns early, but leaves old data in the output, which must be all zeros.
// says: K=0: .*No element of the output was ever written
// change of: 04-b-not-transposed
@@
-        Bs[ty][tx] = k0 + tx < K && blockIdx.x * TILE + ty < N ? B[(blockIdx.x * TILE + ty) * K + k0 + tx] : 0.0f;
+        Bs[tx][ty] = k0 + tx < K && blockIdx.x * TILE + ty < N ? B[(blockIdx.x * TILE + ty) * K + k0 + tx] : 0.0f;
@@
-    if (M * N == 0) return C;
+    if (M * N * K == 0) return C;
