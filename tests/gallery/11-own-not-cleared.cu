// The private histogram is not set to 0.
// task: histogram_private
// refused by: emulator
// hazards: uninitialised-read
// says: reads the shared array own where nothing was written before
// change of: solution 11-private
@@
-    own[t] = 0;
-    __syncthreads();  // every count is 0
