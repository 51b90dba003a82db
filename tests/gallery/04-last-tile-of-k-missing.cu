// The number of steps, K / TILE, is rounded down, so the last values of k are left out.
// says: The last, partial tile of 16 values of k is missing: the number of steps was rounded down
// change of: 04-b-not-transposed
@@
-    for (int k0 = 0; k0 < K; k0 += TILE) {
+    for (int t = 0; t < K / TILE; t++) {
+        int k0 = t * TILE;
@@
-        Bs[ty][tx] = k0 + tx < K && blockIdx.x * TILE + ty < N ? B[(blockIdx.x * TILE + ty) * K + k0 + tx] : 0.0f;
+        Bs[tx][ty] = k0 + tx < K && blockIdx.x * TILE + ty < N ? B[(blockIdx.x * TILE + ty) * K + k0 + tx] : 0.0f;
