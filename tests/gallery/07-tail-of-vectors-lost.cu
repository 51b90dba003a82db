// No thread computes the elements after the last whole vector.
// task: scalar_multiply_vectors
// refused by: emulator
// says: past the last multiple of
// change of: solution 07-vectors
@@
-    } else if (i < vectors + n % kWidth) {
-        const int64_t e = vectors * kWidth + (i - vectors);  // element of the tail
-        C[e] = static_cast<T>(static_cast<Wide>(A[e]) * s);
