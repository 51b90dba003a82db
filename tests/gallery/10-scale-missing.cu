// The scores are not divided by the square root of their 64 terms.
// task: attention
// refused by: emulator, nvcc
// says: The scores are not divided by 8, the square root of the 64 terms of each
// change of: 10-values-not-rescaled
@@
-            score += q[d] * 0.125f * k[d];
+            score += q[d] * k[d];
@@
-            out[d] += p * v[d];
+            out[d] = out[d] * keep + p * v[d];
