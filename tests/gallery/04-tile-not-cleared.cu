// A thread that loads nothing also stores nothing, so the last tile keeps elements of the previous tile.
// hazards: uninitialised-read
// says: tile of k still holds elements of the tile before it: .* must store 0
// change of: 04-b-not-transposed
@@
-        As[ty][tx] = k0 + ty < K && blockIdx.y * TILE + tx < M ? A[(k0 + ty) * M + blockIdx.y * TILE + tx] : 0.0f;
-        Bs[ty][tx] = k0 + tx < K && blockIdx.x * TILE + ty < N ? B[(blockIdx.x * TILE + ty) * K + k0 + tx] : 0.0f;
+        if (k0 + ty < K && blockIdx.y * TILE + tx < M) {
+            As[ty][tx] = A[(k0 + ty) * M + blockIdx.y * TILE + tx];
+        }
+        if (k0 + tx < K && blockIdx.x * TILE + ty < N) {
+            Bs[tx][ty] = B[(blockIdx.x * TILE + ty) * K + k0 + tx];
+        }
