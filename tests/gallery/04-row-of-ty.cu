// Bs[j][k] is read with ty as j, but j is tx.
// refused by: emulator, nvcc
// says: all columns are equal: the tile of B is read with ty
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
-            sum += As[k][ty] * Bs[k][tx];
+            sum += As[k][ty] * Bs[ty][k];
