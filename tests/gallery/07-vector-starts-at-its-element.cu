// The vector of thread i starts at element i, not at vector i.
// task: scalar_multiply_vectors
// refused by: emulator
// hazards: misaligned
// says: an address that is not a multiple of its size
// change of: solution 07-vectors
@@
-        Elements v = reinterpret_cast<const Elements*>(A)[i];
+        Elements v = *reinterpret_cast<const Elements*>(A + i);
