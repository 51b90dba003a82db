// The next round fills the tile while threads still read it.
// task: moving_average
// refused by: emulator
// hazards: race
// says: a race on the shared array tile.* a __syncthreads\(\) is missing after line \d+, before line \d+ runs again
// change of: solution 12-barriers
@@
-        __syncthreads();  // nobody reads the tile any more
