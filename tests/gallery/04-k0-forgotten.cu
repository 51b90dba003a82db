// The index into B does not use k0, so each step loads the first tile of B again.
// task: tiled_matmul
// says: Each step uses the first tile of B again
// change of: solution 04-jk
@@
-        Bs[ty][tx] = j0 + ty < N && k0 + tx < K ? B[(j0 + ty) * K + k0 + tx] : 0.0f;
+        Bs[ty][tx] = j0 + ty < N && k0 + tx < K ? B[(j0 + ty) * K + tx] : 0.0f;
