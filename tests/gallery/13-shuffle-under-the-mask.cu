// Only lanes that have an element make the call of the shuffle.
// task: softmax_by_warp
// refused by: emulator
// hazards: divergent-warp
// says: names lanes in its mask .* that never reach it
// change of: solution 13-warp
@@
-    for (int offset = kWarp / 2; offset > 0; offset /= 2) {
+    for (int offset = kWarp / 2; offset > 0 && lane < N; offset /= 2) {
         highest = fmaxf(highest, __shfl_xor_sync(kAll, highest, offset));
