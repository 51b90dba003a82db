// The guard of the store checks only the rows.
// task: fast_matmul
// refused by: emulator
// hazards: out-of-bounds
// says: wrote elements past the end of the new tensor
// change of: solution 09-shape
@@
-            if (rows[r] < M && columns[c] < N) {
+            if (rows[r] < M) {
