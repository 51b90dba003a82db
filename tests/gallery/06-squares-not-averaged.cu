// The sum of the squares is not divided by the length of the row.
// task: rms_norm
// refused by: emulator, nvcc
// says: The sum of the squares is not divided by N
// change of: 06-eps-outside-the-root
@@
-    const float r = 1 / (sqrtf(total / N) + eps);
+    const float r = rsqrtf(total + eps);
