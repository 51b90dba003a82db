// A view that does not start on a multiple of 16 bytes is loaded by whole vectors.
// refused by: emulator
// hazards: misaligned
// says: an address that is not a multiple of its size
// change of: 07-four-of-any-type
@@
-        constexpr int kWidth = 4;
+        constexpr int kWidth = 16 / sizeof(scalar_t);
-        if (reinterpret_cast<uintptr_t>(A.data_ptr()) % sizeof(Vector<scalar_t, kWidth>) == 0) {
+        if (n >= kWidth) {
