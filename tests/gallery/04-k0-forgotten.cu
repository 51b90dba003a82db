// The index into B does not use k0, so each step loads the first tile of B again.
// refused by: emulator, nvcc
// says: Each step uses the first tile of B again
// change of: 04-b-unguarded
@@
-        Bs[tx][ty] = B[(j0 + ty) * K + k0 + tx];
+        Bs[tx][ty] = j0 + ty < N && k0 + tx < K ? B[(j0 + ty) * K + tx] : 0.0f;
