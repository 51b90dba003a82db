// Only the first tile of a row gets a left neighbour, which is 0; the others keep it.
// task: moving_average
// says: The first element of each tile of 256 has no left neighbour
// change of: solution 12-barriers
@@
-        if (t == 0) {
-            tile[0] = first > 0 ? B[first - 1] : 0.0f;
+        if (j == 0) {
+            tile[0] = 0.0f;
