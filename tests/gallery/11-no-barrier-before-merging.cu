// The private histogram is added to the result before all threads have counted.
// task: histogram_private
// refused by: emulator
// hazards: race
// says: a race on the shared array own.* changes \(atomically\) .* a __syncthreads\(\) is missing between line \d+ and line \d+
// change of: solution 11-private
@@
-    __syncthreads();  // every element is counted
