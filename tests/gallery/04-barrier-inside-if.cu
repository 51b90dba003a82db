// Only threads that have an element of C enter the loop, so the other threads skip its barriers.
// task: tiled_matmul
// refused by: emulator
// hazards: divergent-barrier
// says: __syncthreads\(\) in line \d+ is reached by \d+ of the block's 256 threads; .* every thread must reach it
// change of: solution 04-jk
@@
-    for (int64_t k0 = 0; k0 < K; k0 += kTile) {
+    for (int64_t k0 = 0; k0 < K && i0 + ty < M && j0 + tx < N; k0 += kTile) {
