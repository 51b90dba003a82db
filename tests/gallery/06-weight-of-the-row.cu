// Each row has its own weight, but the weights belong to the columns.
// task: rms_norm
// refused by: emulator, nvcc
// says: W\[row\] is used, but each column has its own factor
// change of: 06-eps-outside-the-root
@@
-    const float r = 1 / (sqrtf(total / N) + eps);
+    const float r = rsqrtf(total / N + eps);
@@
-        if (j < N) Y[start + j] = x[k] * r * W[j];
+        if (j < N) Y[start + j] = x[k] * r * W[blockIdx.x % N];
