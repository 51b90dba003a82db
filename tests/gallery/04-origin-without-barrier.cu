// One thread computes where the tile begins, and the other threads read this value without a barrier.
// task: tiled_matmul
// refused by: tracer
// says: reads what line \d+ .* writes in another thread; a __syncthreads\(\) is missing between
// change of: solution 04-jk
@@
-    const int64_t i0 = static_cast<int64_t>(blockIdx.y) * kTile;  // first row of the block's tile of C
-    const int64_t j0 = static_cast<int64_t>(blockIdx.x) * kTile;  // and its first column
+    __shared__ int64_t i0, j0;
+    if (tx == 0 && ty == 0) {
+        i0 = static_cast<int64_t>(blockIdx.y) * kTile;
+        j0 = static_cast<int64_t>(blockIdx.x) * kTile;
+    }
