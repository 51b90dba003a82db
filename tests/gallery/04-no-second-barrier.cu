// The barrier at the end of each step is missing, so a tile is overwritten while other threads use it.
// task: tiled_matmul
// refused by: emulator
// hazards: race
// says: a __syncthreads\(\) is missing after line \d+, before line \d+ runs again
// change of: solution 04-jk
@@
-        __syncthreads();  // no thread overwrites the tiles before all have used them
