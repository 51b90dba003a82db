// The block counts before all threads have set the private histogram to 0.
// task: histogram_private
// refused by: emulator
// hazards: race
// says: a race on the shared array own.* changes \(atomically\) .* a __syncthreads\(\) is missing between line \d+ and line \d+
// change of: solution 11-private
@@
-    __syncthreads();  // every count is 0
