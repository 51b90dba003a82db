// The threads read the sum of the elements before the last thread has stored it.
// task: cumsum
// refused by: emulator
// hazards: race
// says: a race on the shared array total.* a __syncthreads\(\) is missing between line \d+ and line \d+
// change of: solution 11-scan
@@
-            __syncthreads();  // total is there
