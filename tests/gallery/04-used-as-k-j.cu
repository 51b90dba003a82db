// The tile is stored as Bs[j][k], but read as Bs[k][j].
// refused by: emulator, nvcc
// says: The tile of B is used without its transpose
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
