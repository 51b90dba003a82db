// The line that loads the tile of B is a copy of A's line, so B is read as if it were K x N.
// refused by: emulator, nvcc
// says: The transpose of B is lost: the kernel reads
// change of: 04-b-unguarded
@@
-        Bs[tx][ty] = B[(j0 + ty) * K + k0 + tx];
+        Bs[ty][tx] = k0 + ty < K && j0 + tx < N ? B[(k0 + ty) * N + j0 + tx] : 0.0f;
