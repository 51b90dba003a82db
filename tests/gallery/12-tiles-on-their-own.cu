// The neighbours of each tile are 0, not only those of the row.
// task: moving_average
// says: Each tile of 256 elements is averaged on its own
// change of: solution 12-barriers
@@
-            tile[0] = first > 0 ? B[first - 1] : 0.0f;
-...
-            tile[kThreads + 1] = j + 1 < N ? B[j + 1] : 0.0f;
+            tile[0] = tile[kThreads + 1] = 0.0f;
