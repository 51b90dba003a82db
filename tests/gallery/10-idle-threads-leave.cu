// Threads without a query return before the barriers.
// task: attention_causal_any
// refused by: emulator
// hazards: divergent-barrier
// says: the others have returned: every thread must reach it, so guard only the work
// change of: 10-mask-one-key-late
@@
-    for (int d = 0; d < kDim; d++) {
-        q[d] = i < N ? Q[head + i * kDim + d] * 0.125f : 0.0f;
+    if (i >= N) {
+        return;
+    }
+    for (int d = 0; d < kDim; d++) {
+        q[d] = Q[head + i * kDim + d] * 0.125f;
@@
-            if (j0 + j > i + 1 || j0 + j >= N) {
+            if (j0 + j > i) {
