// A masked score is 0, not -INFINITY.
// task: attention_causal_any
// refused by: emulator, nvcc
// says: A masked score is 0, so its exponential counts: it must be -INFINITY
// change of: 10-mask-one-key-late
@@
-            if (j0 + j > i + 1 || j0 + j >= N) {
-                score = -INFINITY;
+            if (j0 + j > i) {
+                score = 0.0f;
