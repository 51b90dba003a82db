// The sum is an int.
// task: tiled_matmul
// says: Every element is a whole number: some variable before the store is an integer
// change of: solution 04-jk
@@
-    float sum = 0.0f;
+    int sum = 0;
