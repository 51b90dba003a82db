// The guard of A's load checks only k, so threads past the last column read other elements, or past the end of A.
// refused by: tracer
// says: reads past the end of A .* is a guard missing
// change of: 04-b-not-transposed
@@
-        As[ty][tx] = k0 + ty < K && blockIdx.y * TILE + tx < M ? A[(k0 + ty) * M + blockIdx.y * TILE + tx] : 0.0f;
-        Bs[ty][tx] = k0 + tx < K && blockIdx.x * TILE + ty < N ? B[(blockIdx.x * TILE + ty) * K + k0 + tx] : 0.0f;
+        As[ty][tx] = k0 + ty < K ? A[(k0 + ty) * M + blockIdx.y * TILE + tx] : 0.0f;
+        Bs[tx][ty] = k0 + tx < K && blockIdx.x * TILE + ty < N ? B[(blockIdx.x * TILE + ty) * K + k0 + tx] : 0.0f;
