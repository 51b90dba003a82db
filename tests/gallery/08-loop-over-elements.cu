// The loop over float4s has as many steps as the row has elements.
// task: softmax_repaired
// refused by: emulator
// hazards: out-of-bounds
// says: a kernel read elements past the end|reads past the end of A
// change of: solution 08-repair
@@
-    for (int64_t i = threadIdx.x; i < N / 4; i += kThreads) {
+    for (int64_t i = threadIdx.x; i < N; i += kThreads) {
         const float4 a = row[i];
