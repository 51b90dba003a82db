// The maximum begins at 0, so if all numbers of a row are negative, its exponentials may all be 0.
// task: softmax
// says: Infinity is divided by infinity after an exponential overflowed, 0 is divided by 0
// change of: 08-first-warp-only
@@
-    for (int w = 1; w < (maximum ? blockDim.x / 32 : 1); w++) {
+    for (int w = 1; w < blockDim.x / 32; w++) {
@@
-    float highest = -INFINITY;
+    float highest = 0.0f;
