// The number of vectors is rounded up, so the last vector reaches past the end.
// refused by: emulator
// hazards: out-of-bounds
// says: wrote elements past the end of the new tensor
// change of: 07-four-of-any-type
@@
-    const int64_t vectors = n / kWidth;
+    const int64_t vectors = (n + kWidth - 1) / kWidth;
@@
-        constexpr int kWidth = 4;
+        constexpr int kWidth = 16 / sizeof(scalar_t);
