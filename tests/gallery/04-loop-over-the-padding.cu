// The loop over k also runs over the padding of the rows.
// hazards: out-of-bounds
// says: uses index 16 in an array of type .float\[16\]\[16\].*does a loop go too far
// change of: 04-b-unguarded
@@
 constexpr int kTile = 16;  // rows and columns of a tile, and of a block
+constexpr int kPad = 1;    // floats of padding after each row of the tile of B
@@
-    __shared__ float Bs[kTile][kTile];  // Bs[k][j]
+    __shared__ float Bs[kTile][kTile + kPad];  // Bs[j][k]
@@
-        Bs[tx][ty] = B[(j0 + ty) * K + k0 + tx];
+        Bs[ty][tx] = j0 + ty < N && k0 + tx < K ? B[(j0 + ty) * K + k0 + tx] : 0.0f;
@@
-        for (int k = 0; k < kTile; ++k) {
-            sum += As[k][ty] * Bs[k][tx];
+        for (int k = 0; k < kTile + kPad; ++k) {
+            sum += As[k][ty] * Bs[tx][k];
