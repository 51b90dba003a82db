// The tile has no room for the neighbours.
// task: moving_average
// refused by: emulator
// hazards: out-of-bounds
// says: uses index 256 in an array of type 'float\[256\]'.* is a guard missing
// change of: 12-no-barrier
@@
-    __shared__ float tile[258];
+    __shared__ float tile[256];
@@
-        if (j < N) C[j] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3;
+        __syncthreads();
+        if (j < N) C[j] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3;
