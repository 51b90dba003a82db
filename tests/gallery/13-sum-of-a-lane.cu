// The sums of the lanes are not added up.
// task: softmax_by_warp
// refused by: emulator, nvcc
// says: Each lane divides by the sum of its own places: a shuffle must add the sums of all 32 lanes
// change of: 13-masked-places-are-zero
@@
-        x[k] = j < N ? X[row * N + j] : 0.0f;
+        x[k] = j < N ? X[row * N + j] : -INFINITY;
@@
-    for (int offset = kWarp / 2; offset > 0; offset /= 2) {
-        sum += __shfl_xor_sync(kAll, sum, offset);
-    }
