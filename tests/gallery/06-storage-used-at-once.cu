// The second sum of a block uses the storage of the first without a barrier in between.
// task: rms_norm_backward
// refused by: emulator
// hazards: race
// says: __syncthreads\(\) is missing between line \d+ and line \d+
// change of: solution 06-norm-backward
@@
-        const float r = rsqrtf(block_sum(squares) / N + eps);
-        const float share = r * r * block_sum(products) / N;
+        using Reduce = cub::BlockReduce<float, kThreads>;
+        __shared__ typename Reduce::TempStorage storage;
+        __shared__ float sums[2];
+        squares = Reduce(storage).Sum(squares);
+        products = Reduce(storage).Sum(products);
+        if (threadIdx.x == 0) {
+            sums[0] = squares, sums[1] = products;
+        }
+        __syncthreads();
+        const float r = rsqrtf(sums[0] / N + eps);
+        const float share = r * r * sums[1] / N;
