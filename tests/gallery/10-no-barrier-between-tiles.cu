// No barrier is between the last use of a tile and the loads of the next tile.
// task: attention_causal
// refused by: emulator
// hazards: race
// says: a race on the shared array .*a __syncthreads\(\) is missing between line \d+ and line \d+
// change of: solution 10-causal
@@
-        __syncthreads();  // no thread overwrites the tiles before all have used them
