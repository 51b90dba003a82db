// The sum of the three elements is not divided.
// task: moving_average
// says: The sum is not divided by 3
// change of: solution 12-barriers
@@
-            C[j] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3.0f;
+            C[j] = tile[t] + tile[t + 1] + tile[t + 2];
