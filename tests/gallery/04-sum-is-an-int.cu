// The sum is an int.
// refused by: emulator, nvcc
// says: Every element is a whole number: some variable before the store is an integer
// change of: 04-b-unguarded
@@
-    float sum = 0.0f;
+    int sum = 0;
@@
-        Bs[tx][ty] = B[(j0 + ty) * K + k0 + tx];
+        Bs[tx][ty] = j0 + ty < N && k0 + tx < K ? B[(j0 + ty) * K + k0 + tx] : 0.0f;
