// Each lane subtracts the maximum of its own places.
// task: softmax_by_warp
// refused by: emulator, nvcc
// says: infinity is subtracted from infinity because a maximum is still -INFINITY
// change of: 13-masked-places-are-zero
@@
-        x[k] = j < N ? X[row * N + j] : 0.0f;
+        x[k] = j < N ? X[row * N + j] : -INFINITY;
@@
-    for (int offset = kWarp / 2; offset > 0; offset /= 2) {
-        highest = fmaxf(highest, __shfl_xor_sync(kAll, highest, offset));
-    }
