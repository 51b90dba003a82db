// Only threads that have an element take part in the shuffles, but the mask names all lanes.
// task: row_scaling_dots
// refused by: emulator
// hazards: divergent-warp
// says: a warp operation in line \d+ .* names lanes in its mask \(0xFFFFFFFF\) that never reach it
// change of: 06-no-barrier
@@
-    sum = warp_sum(sum);
+    if (threadIdx.x < N) sum = warp_sum(sum);
@@
+    __syncthreads();
     if (threadIdx.x < 32) {
