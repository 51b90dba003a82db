// Neighbouring threads load elements that are a column of A apart, so the tile is of no use.
// task: scalar_multiply_turned
// says: sectors of 32 bytes from global memory, but 3,072 are enough
// change of: 07-tile-not-padded
@@
-        if (i0 + x < M && j0 + y < N) tile[y][x] = A[(j0 + y) * M + i0 + x];
+        if (i0 + y < M && j0 + x < N) tile[x][y] = A[(j0 + x) * M + i0 + y];
