// The threads read the tile before all of them have filled it.
// task: moving_average
// refused by: emulator
// hazards: race
// says: a race on the shared array tile.* a __syncthreads\(\) is missing between line \d+ and line \d+
// change of: solution 12-barriers
@@
-        __syncthreads();  // the tile is full
