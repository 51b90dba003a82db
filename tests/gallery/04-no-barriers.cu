// The kernel has no barrier, so no thread waits for another.
// task: tiled_matmul
// refused by: emulator
// hazards: race
// says: a __syncthreads\(\) is missing between line \d+ and line \d+
// change of: solution 04-jk
@@
-constexpr int kTile = 16;  // rows and columns of a tile, and of a block
+constexpr int kTile = 32;  // rows and columns of a tile, and of a block
@@
-        __syncthreads();  // no thread uses the tiles before they are complete
@@
-        __syncthreads();  // no thread overwrites the tiles before all have used them
