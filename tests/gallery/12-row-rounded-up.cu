// The number of the row is rounded up from the middle of a row on.
// task: row_scaling_rounded
// refused by: emulator
// hazards: out-of-bounds
// says: line \d+ .* reads past the end of A .* or is the index wrong
// change of: 12-row-by-reciprocal
@@
-        int64_t row = e * (1.0f / N);
+        int64_t row = roundf(e * (1.0f / N));
