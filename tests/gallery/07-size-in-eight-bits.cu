// The number of elements is stored in an int8_t.
// task: scalar_multiply_types
// refused by: emulator
// hazards: bad-launch
// says: which holds no number above 127
// change of: solution 07-types
@@
-    const int64_t n = A.numel();
+    const int8_t n = A.numel();
