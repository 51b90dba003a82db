// The vector of thread i starts at element i, not at vector i.
// refused by: emulator
// hazards: misaligned
// says: an address that is not a multiple of its size
// change of: 07-four-of-any-type
@@
-        Vector<T, kWidth> v = reinterpret_cast<const Vector<T, kWidth>*>(A)[i];
+        Vector<T, kWidth> v = *reinterpret_cast<const Vector<T, kWidth>*>(A + i);
@@
-        constexpr int kWidth = 4;
+        constexpr int kWidth = 16 / sizeof(scalar_t);
