// The loop ends with the last copy, so the tiles that are still being copied are never multiplied.
// task: fast_matmul_whole_tiles
// refused by: emulator, nvcc
// says: last two steps of 8 are missing
// change of: 09-no-barrier
@@
-    for (int64_t step = 0; step < steps; ++step) {
+    for (int64_t step = 0; step < steps - (kStages - 1); ++step) {
@@
+        __syncthreads();  // all threads' copies have, and all are done with the last step, whose slot is next
         copy(step + kStages - 1, slot == 0 ? kStages - 1 : slot - 1);
