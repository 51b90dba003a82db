// A is copied by float4 even if its rows do not start on multiples of 16 bytes.
// task: fast_matmul
// refused by: emulator
// hazards: misaligned
// says: from or to an address that is not a multiple of 16
// change of: solution 09-shape
@@
-    const bool wide = M % kVector == 0 && reinterpret_cast<uintptr_t>(A.data_ptr<float>()) % sizeof(float4) == 0;
+    const bool wide = M >= kVector;
