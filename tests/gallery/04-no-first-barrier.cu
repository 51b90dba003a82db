// The barrier after the loads is missing, so a thread may use elements that are not stored yet.
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
