// The loop over k also runs over the padding of the rows.
// task: tiled_matmul
// refused by: emulator
// hazards: out-of-bounds
// says: uses index 16 in an array of type .float\[16\]\[16\].*does a loop go too far
// change of: solution 04-jk
@@
-        for (int k = 0; k < kTile; ++k) {
+        for (int k = 0; k < kTile + kPad; ++k) {
