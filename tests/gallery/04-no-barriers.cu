// The kernel has no barrier, so no thread waits for another.
// task: tiled_matmul
// refused by: emulator
// hazards: race
// says: Threads use a 32 x 32 tile before other threads have stored their elements: the barrier between
// first attempt: 04 tile of B, yes
// change of: 04-no-second-barrier
@@
-#define TILE 16
+#define TILE 32
@@
-        __syncthreads();
