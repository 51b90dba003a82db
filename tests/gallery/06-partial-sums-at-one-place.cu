// All blocks of a row store their partial sums at the same place.
// task: row_scaling_dots_long
// refused by: emulator
// hazards: race
// says: several threads change it in line \d+
// change of: 06-adds-without-atomics
@@
-    if (threadIdx.x % 32 == 0) dA[row] += sum;
+    if (threadIdx.x == 0) dA[row] = sum;
