// The factor is computed after the maximum has changed, so it is always 1.
// task: attention
// refused by: emulator, nvcc
// says: Neither sum is rescaled when the maximum grows: compute the factor exp\(old maximum - new maximum\) before
// change of: 10-values-not-rescaled
@@
-        const float keep = expf(max - highest);
-        const float p = expf(score - highest);
+        max = highest;
+        const float keep = expf(max - highest);
+        const float p = expf(score - max);
@@
-            out[d] += p * v[d];
-        }
-        max = highest;
+            out[d] = out[d] * keep + p * v[d];
+        }
