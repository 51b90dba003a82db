// The index into A does not use k0, so each step loads the first tile of A again.
// refused by: emulator, nvcc
// says: Each step uses the first tile of A again
// change of: 04-b-unguarded
@@
-        As[ty][tx] = k0 + ty < K && i0 + tx < M ? A[(k0 + ty) * M + i0 + tx] : 0.0f;
-        Bs[tx][ty] = B[(j0 + ty) * K + k0 + tx];
+        As[ty][tx] = k0 + ty < K && i0 + tx < M ? A[ty * M + i0 + tx] : 0.0f;
+        Bs[tx][ty] = j0 + ty < N && k0 + tx < K ? B[(j0 + ty) * K + k0 + tx] : 0.0f;
