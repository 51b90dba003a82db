// The guard of the store checks only the rows.
// task: fast_matmul
// refused by: emulator
// hazards: out-of-bounds
// says: wrote elements past the end of the new tensor
// change of: 09-fours-at-any-row
@@
-            if (rows[r] < M && columns[c] < N) {
+            if (rows[r] < M) {
@@
-        M >= kVector;
+        M % kVector == 0 && reinterpret_cast<uintptr_t>(A.data_ptr<float>()) % sizeof(float4) == 0;
