// Threads without a query return before the barriers.
// task: attention_causal_any
// refused by: emulator
// hazards: divergent-barrier
// says: the others have returned: every thread must reach it, so guard only the work
// change of: solution 10-causal
@@
-    if (i < N) {
-        copy(q, Q + (head + i) * kFours);
+    if (i >= N) {
+        return;
     }
+    copy(q, Q + (head + i) * kFours);
