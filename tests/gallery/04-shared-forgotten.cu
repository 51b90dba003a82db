// The tile of B is not __shared__, so each thread has its own array.
// refused by: emulator, nvcc
// says: Bs is not __shared__: line \d+ .* gives each thread its own array
// change of: 04-b-unguarded
@@
-    __shared__ float Bs[kTile][kTile];  // Bs[k][j]
+    float Bs[kTile][kTile];  // Bs[k][j]
@@
-        Bs[tx][ty] = B[(j0 + ty) * K + k0 + tx];
+        Bs[tx][ty] = j0 + ty < N && k0 + tx < K ? B[(j0 + ty) * K + k0 + tx] : 0.0f;
