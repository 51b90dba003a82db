// The number of float4s is rounded up, so the last float4 reaches past the end.
// refused by: emulator
// hazards: out-of-bounds
// says: past the end of the new tensor .* does the last float4 reach too far
// change of: 05-tail-missing
@@
-    if (i < N / 4) {
+    if (4 * i < N) {
