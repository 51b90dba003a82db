// The loop declares a second sum, so the first sum stays 0.
// refused by: emulator, nvcc
// says: Every element is 0: the kernel stores an empty sum
// change of: 04-b-unguarded
@@
-        Bs[tx][ty] = B[(j0 + ty) * K + k0 + tx];
+        Bs[tx][ty] = j0 + ty < N && k0 + tx < K ? B[(j0 + ty) * K + k0 + tx] : 0.0f;
@@
+        float sum = 0.0f;
         for (int k = 0; k < kTile; ++k) {
