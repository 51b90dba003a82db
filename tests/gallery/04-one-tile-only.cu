// The loop over the tiles is missing, so each sum has only the terms of the first tile.
// says: Only the first 16 terms of each sum were added: the loop over the tiles of k is missing
// change of: 04-b-not-transposed
@@
-    for (int k0 = 0; k0 < K; k0 += TILE) {
+    int k0 = 0;
+    if (K > 0) {
@@
-        Bs[ty][tx] = k0 + tx < K && blockIdx.x * TILE + ty < N ? B[(blockIdx.x * TILE + ty) * K + k0 + tx] : 0.0f;
-        __syncthreads();
+        Bs[tx][ty] = k0 + tx < K && blockIdx.x * TILE + ty < N ? B[(blockIdx.x * TILE + ty) * K + k0 + tx] : 0.0f;
+    }
+    __syncthreads();
+    if (K > 0) {
@@
-        __syncthreads();
     }
