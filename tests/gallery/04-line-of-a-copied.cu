// The line that loads the tile of B is a copy of A's line, so B is read as if it were K x N.
// task: tiled_matmul
// says: The transpose of B is lost: the kernel reads
// change of: solution 04-jk
@@
-        Bs[ty][tx] = j0 + ty < N && k0 + tx < K ? B[(j0 + ty) * K + k0 + tx] : 0.0f;
+        Bs[tx][ty] = k0 + ty < K && j0 + tx < N ? B[(k0 + ty) * N + j0 + tx] : 0.0f;
