// The tile is read without a barrier after it was written.
// task: scalar_multiply_turned
// refused by: emulator
// hazards: race
// says: a race on the shared array tile
// change of: 07-tile-not-padded
@@
-    __syncthreads();
