// In the guard of B's load, tx and ty are exchanged.
// task: tiled_matmul
// says: The guard of B.s load has tx and ty exchanged
// change of: solution 04-jk
@@
-        Bs[ty][tx] = j0 + ty < N && k0 + tx < K ? B[(j0 + ty) * K + k0 + tx] : 0.0f;
+        Bs[ty][tx] = j0 + tx < N && k0 + ty < K ? B[(j0 + ty) * K + k0 + tx] : 0.0f;
