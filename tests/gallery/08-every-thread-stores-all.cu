// In the second loop, each thread steps by 1 and stores the whole row.
// task: softmax_repaired
// refused by: emulator
// says: how often does it load each of them
// change of: solution 08-repair
@@
-    for (int64_t i = threadIdx.x; i < N / 4; i += kThreads) {
+    for (int64_t i = 0; i < N / 4; ++i) {
         const float4 e = exp_below(row[i], part.max);
