// A tile of 64 x 64 elements has one thread per element, so a block has 4096 threads.
// task: tiled_matmul
// hazards: bad-launch
// says: (has 4096 threads; at most 1024 are allowed|a block can have 1 to 1024 threads)
// change of: solution 04-jk
@@
-constexpr int kTile = 16;  // rows and columns of a tile, and of a block
+constexpr int kTile = 64;  // rows and columns of a tile, and of a block
