// Only threads that have an element take part in the shuffle, but the mask names all lanes.
// task: softmax
// refused by: emulator
// hazards: divergent-warp
// says: a warp operation in line \d+ .* names lanes in its mask \(0xFFFFFFFF\) that never reach it
// change of: solution 08-online
@@
-    for (int offset = kWarp / 2; offset > 0; offset /= 2) {
+    for (int offset = kWarp / 2; offset > 0 && part.sum > 0.0f; offset /= 2) {
