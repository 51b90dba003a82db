// The maximum is not subtracted, so the exponentials of numbers above 88 overflow.
// task: softmax
// says: Infinity is divided by infinity after an exponential overflowed, 0 is divided by 0
// change of: 08-first-warp-only
@@
-    for (int w = 1; w < (maximum ? blockDim.x / 32 : 1); w++) {
+    for (int w = 1; w < blockDim.x / 32; w++) {
@@
-    highest = block_reduced(highest, true);
+    highest = 0.0f;
