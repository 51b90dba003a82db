// Only the first warp's maximum is used, so exponentials overflow if another warp has a larger maximum.
// task: softmax
// says: Infinity is divided by infinity after an exponential overflowed, 0 is divided by 0
// change of: 08-first-warp-only
@@
-    for (int w = 1; w < (maximum ? blockDim.x / 32 : 1); w++) {
+    for (int w = 1; w < (maximum ? 1 : blockDim.x / 32); w++) {
