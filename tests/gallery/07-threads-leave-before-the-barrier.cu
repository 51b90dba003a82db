// Threads without an element of A return before the barrier.
// task: scalar_multiply_turned
// refused by: emulator
// hazards: divergent-barrier
// says: is reached by 8 of the block's 256 threads; the others have returned
// change of: 07-tile-not-padded
@@
-    const int x = threadIdx.x;
+    const int x = threadIdx.x;
+    if (i0 + x >= M) return;
