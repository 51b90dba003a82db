// A view that does not start on a multiple of 16 bytes is loaded by whole vectors.
// task: scalar_multiply_vectors
// refused by: emulator
// hazards: misaligned
// says: an address that is not a multiple of its size
// change of: solution 07-vectors
@@
-        if (on_16_bytes(a) && on_16_bytes(c)) {
+        if (n >= kBytes / sizeof(scalar_t)) {
