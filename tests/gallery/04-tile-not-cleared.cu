// A thread that loads nothing also stores nothing, so the last tile keeps elements of the previous tile.
// task: tiled_matmul
// hazards: uninitialised-read
// says: tile of k still holds elements of the tile before it: .* must store 0
// change of: solution 04-jk
@@
-        As[ty][tx] = k0 + ty < K && i0 + tx < M ? A[(k0 + ty) * M + i0 + tx] : 0.0f;
-        Bs[ty][tx] = j0 + ty < N && k0 + tx < K ? B[(j0 + ty) * K + k0 + tx] : 0.0f;
+        if (k0 + ty < K && i0 + tx < M) {
+            As[ty][tx] = A[(k0 + ty) * M + i0 + tx];
+        }
+        if (j0 + ty < N && k0 + tx < K) {
+            Bs[ty][tx] = B[(j0 + ty) * K + k0 + tx];
+        }
