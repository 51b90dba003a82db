// eps is added to the root, not to the mean under the root.
// task: rms_norm
// says: eps is added outside of the root: it belongs to the mean
// change of: solution 06-norm
@@
-    const float r = rsqrtf(block_sum(squares) / N + eps);
+    const float r = 1.0f / (sqrtf(block_sum(squares) / N) + eps);
