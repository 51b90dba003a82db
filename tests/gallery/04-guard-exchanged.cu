// In the guard of B's load, tx and ty are exchanged.
// refused by: emulator, nvcc
// says: The guard of B.s load has tx and ty exchanged
// change of: 04-b-unguarded
@@
-        Bs[tx][ty] = B[(j0 + ty) * K + k0 + tx];
+        Bs[tx][ty] = j0 + tx < N && k0 + ty < K ? B[(j0 + ty) * K + k0 + tx] : 0.0f;
