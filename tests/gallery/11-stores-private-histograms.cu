// Each block stores its histogram in the result instead of adding it.
// task: histogram_private
// refused by: emulator
// hazards: race
// says: several threads change it in line \d+ .* blocks run in no fixed order: give each element to one thread, or use atomicAdd
// change of: solution 11-private
@@
-    add(&counts[t], own[t]);
+    counts[t] = own[t];
