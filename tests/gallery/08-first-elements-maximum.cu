// Each thread uses one of its elements for the maximum, but all of its elements for the sum.
// task: softmax
// says: Infinity is divided by infinity after an exponential overflowed, 0 is divided by 0
// change of: 08-first-warp-only
@@
-    for (int w = 1; w < (maximum ? blockDim.x / 32 : 1); w++) {
+    for (int w = 1; w < blockDim.x / 32; w++) {
@@
-    float highest = -INFINITY;
-...
-    }
+    float highest = threadIdx.x < N ? row[threadIdx.x] : -INFINITY;
