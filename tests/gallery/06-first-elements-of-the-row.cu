// Each thread adds only its first element to the sum of the squares.
// task: rms_norm
// refused by: emulator, nvcc
// says: Only the first 256 elements of a row are in the mean
// change of: 06-eps-outside-the-root
@@
-        squares += x[k] * x[k];
+        if (k == 0) squares += x[k] * x[k];
@@
-    const float r = 1 / (sqrtf(total / N) + eps);
+    const float r = rsqrtf(total / N + eps);
