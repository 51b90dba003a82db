// The running maximum begins at 0, so if all scores of a query are far below 0, its exponentials are all 0.
// task: attention
// says: Infinity is divided by infinity after an exponential overflowed, 0 is divided by 0
// change of: solution 10-stream
@@
-    float max = -INFINITY, total = 0.0f;
+    float max = 0.0f, total = 0.0f;
