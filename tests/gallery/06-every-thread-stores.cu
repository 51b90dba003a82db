// Every thread of the block stores its own partial sum as the sum of the row.
// task: row_scaling_dots
// refused by: emulator
// hazards: race
// says: several threads change it in line \d+ .* give each element to one thread
// change of: 06-tree-barrier-after-each-step
@@
+    __syncthreads();
     for (int half = kThreads / 2; half > 0; half /= 2) {
@@
-    if (t == 0) {
-        dA[i] = partial[0];
-    }
+    dA[i] = partial[t];
