// Each thread loads its three elements from global memory.
// task: moving_average
// says: requests to global memory, but the question asks for tiles that the threads share.* Load each element into the tile once
// change of: solution 12-barriers
@@
-        tile[t + 1] = j < N ? B[j] : 0.0f;
-        if (t == 0) {
-            tile[0] = first > 0 ? B[first - 1] : 0.0f;
+        if (j < N) {
+            C[j] = ((j > 0 ? B[j - 1] : 0.0f) + B[j] + (j + 1 < N ? B[j + 1] : 0.0f)) / 3.0f;
         }
-        if (t == kThreads - 1) {
-...
-        __syncthreads();  // nobody reads the tile any more
