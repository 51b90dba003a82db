// The number of vectors is rounded up, so the last vector reaches past the end.
// task: scalar_multiply_vectors
// refused by: emulator
// hazards: out-of-bounds
// says: wrote elements past the end of the new tensor
// change of: solution 07-vectors
@@
-    const int64_t vectors = n / kWidth;
+    const int64_t vectors = (n + kWidth - 1) / kWidth;
