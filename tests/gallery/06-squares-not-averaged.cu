// The sum of the squares is not divided by the length of the row.
// task: rms_norm
// says: The sum of the squares is not divided by N
// change of: solution 06-norm
@@
-    const float r = rsqrtf(block_sum(squares) / N + eps);
+    const float r = rsqrtf(block_sum(squares) + eps);
