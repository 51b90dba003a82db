// The tile has no room for the neighbours.
// task: moving_average
// refused by: emulator
// hazards: out-of-bounds
// says: uses index 256 in an array of type 'float\[256\]'.* is a guard missing
// change of: solution 12-barriers
@@
-    __shared__ float tile[kThreads + 2];  // with one neighbour on either side
+    __shared__ float tile[kThreads];  // with one neighbour on either side
