// For fewer barriers, a step has 512 values of k, but its tiles need 64 KB of shared memory; a block may declare 48 KB.
// task: tiled_matmul
// says: (declares 65\d+ bytes of __shared__ arrays|too much shared data)
// change of: solution 04-jk
@@
+constexpr int kDepth = 512;  // values of k in a step
 constexpr int kTile = 16;  // rows and columns of a tile, and of a block
@@
-    __shared__ float As[kTile][kTile];  // As[k][i]
-    __shared__ float Bs[kTile][kTile + kPad];  // Bs[j][k]
+    __shared__ float As[kDepth][kTile];  // As[k][i]
+    __shared__ float Bs[kTile][kDepth + kPad];  // Bs[j][k]
@@
-    for (int64_t k0 = 0; k0 < K; k0 += kTile) {
-        As[ty][tx] = k0 + ty < K && i0 + tx < M ? A[(k0 + ty) * M + i0 + tx] : 0.0f;
-        Bs[ty][tx] = j0 + ty < N && k0 + tx < K ? B[(j0 + ty) * K + k0 + tx] : 0.0f;
+    for (int64_t k0 = 0; k0 < K; k0 += kDepth) {
+        for (int k = ty; k < kDepth; k += kTile) {
+            As[k][tx] = k0 + k < K && i0 + tx < M ? A[(k0 + k) * M + i0 + tx] : 0.0f;
+        }
+        for (int k = tx; k < kDepth; k += kTile) {
+            Bs[ty][k] = j0 + ty < N && k0 + k < K ? B[(j0 + ty) * K + k0 + k] : 0.0f;
+        }
         __syncthreads();  // no thread uses the tiles before they are complete
-        for (int k = 0; k < kTile; ++k) {
+        for (int k = 0; k < kDepth; ++k) {
