// The warps store their sums in the places from which other warps still read the maxima.
// task: softmax
// refused by: tracer
// says: line \d+ .* writes what line \d+ .* reads in another thread; a __syncthreads\(\) is missing
// change of: 08-first-warp-only
@@
-    __syncthreads();  // all threads have read the values of the last call
@@
-    for (int w = 1; w < (maximum ? blockDim.x / 32 : 1); w++) {
+    for (int w = 1; w < blockDim.x / 32; w++) {
