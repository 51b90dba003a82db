// The first warp scans the sums of the warps before all of them are there.
// task: cumsum_rows
// refused by: emulator
// hazards: race
// says: a race on the shared array sums.* a __syncthreads\(\) is missing between line \d+ and line \d+
// change of: solution 11-rows
@@
-    __syncthreads();  // the sums of all warps are there
