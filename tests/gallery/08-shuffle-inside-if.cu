// Only threads that have an element take part in the shuffle, but the mask names all lanes.
// task: softmax
// refused by: emulator
// hazards: divergent-warp
// says: a warp operation in line \d+ .* names lanes in its mask \(0xFFFFFFFF\) that never reach it
// change of: 08-sum-not-rescaled
@@
-        sum += expf(row[j] - max);
+        sum = sum * expf(highest - max) + expf(row[j] - max);
@@
+    if (threadIdx.x < N) {
     for (int offset = 16; offset > 0; offset /= 2) {
@@
-        float other_max = __shfl_xor_sync(0xffffffff, highest, offset);
-        float other_sum = __shfl_xor_sync(0xffffffff, sum, offset);
-        float max = fmaxf(highest, other_max);
-        sum = sum * expf(highest - max) + other_sum * expf(other_max - max);
-        highest = max;
+            float other_max = __shfl_xor_sync(0xffffffff, highest, offset);
+            float other_sum = __shfl_xor_sync(0xffffffff, sum, offset);
+            float max = fmaxf(highest, other_max);
+            sum = sum * expf(highest - max) + other_sum * expf(other_max - max);
+            highest = max;
+        }
