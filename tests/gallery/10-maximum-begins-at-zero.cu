// The running maximum begins at 0, so if all scores of a query are far below 0, its exponentials are all 0.
// task: attention
// refused by: emulator, nvcc
// says: Infinity is divided by infinity after an exponential overflowed, 0 is divided by 0
// change of: 10-values-not-rescaled
@@
-    float max = -INFINITY, total = 0.0f, out[kDim] = {};
+    float max = 0.0f, total = 0.0f, out[kDim] = {};
@@
-            out[d] += p * v[d];
+            out[d] = out[d] * keep + p * v[d];
