// Neighbouring threads load elements of A that are a row of A apart.
// task: tiled_matmul_few_sectors
// refused by: emulator, nvcc
// says: requests the most, .*\. Let neighbouring threads
// change of: 04-b-unguarded
@@
-constexpr int kTile = 16;  // rows and columns of a tile, and of a block
+constexpr int kTile = 32;  // rows and columns of a tile, and of a block
@@
-        As[ty][tx] = k0 + ty < K && i0 + tx < M ? A[(k0 + ty) * M + i0 + tx] : 0.0f;
-        Bs[tx][ty] = B[(j0 + ty) * K + k0 + tx];
+        As[tx][ty] = k0 + tx < K && i0 + ty < M ? A[(k0 + tx) * M + i0 + ty] : 0.0f;
+        Bs[tx][ty] = j0 + ty < N && k0 + tx < K ? B[(j0 + ty) * K + k0 + tx] : 0.0f;
