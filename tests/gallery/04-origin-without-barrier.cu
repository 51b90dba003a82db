// One thread computes where the tile begins, and the other threads read this value without a barrier.
// refused by: tracer
// says: reads what line 1[67] .* writes in another thread; a __syncthreads\(\) is missing between
// change of: 04-b-not-transposed
@@
-    int i = blockIdx.y * TILE + ty;  // row of C
-    int j = blockIdx.x * TILE + tx;  // column of C
+    __shared__ unsigned i0, j0;
+    if (tx == 0 && ty == 0) {
+        i0 = blockIdx.y * TILE;
+        j0 = blockIdx.x * TILE;
+    }
@@
-        As[ty][tx] = k0 + ty < K && blockIdx.y * TILE + tx < M ? A[(k0 + ty) * M + blockIdx.y * TILE + tx] : 0.0f;
-        Bs[ty][tx] = k0 + tx < K && blockIdx.x * TILE + ty < N ? B[(blockIdx.x * TILE + ty) * K + k0 + tx] : 0.0f;
+        As[ty][tx] = k0 + ty < K && i0 + tx < M ? A[(k0 + ty) * M + i0 + tx] : 0.0f;
+        Bs[tx][ty] = k0 + tx < K && j0 + ty < N ? B[(j0 + ty) * K + k0 + tx] : 0.0f;
@@
-    if (i < M && j < N) {
-        C[i * N + j] = sum;
+    if (i0 + ty < M && j0 + tx < N) {
+        C[(i0 + ty) * N + j0 + tx] = sum;
