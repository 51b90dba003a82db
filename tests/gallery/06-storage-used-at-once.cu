// The second sum of a block uses the storage of the first without a barrier in between.
// task: rms_norm_backward
// refused by: emulator
// hazards: race
// says: __syncthreads\(\) is missing between line \d+ and line \d+
// change of: 06-root-taken-as-constant
@@
-        __syncthreads();
         products = Reduce(storage).Sum(products);
@@
-            if (j < N) dX[row * N + j] = r * W[j] * d[k];
+            if (j < N) dX[row * N + j] = r * (W[j] * d[k] - x[k] * r * r * shared / N);
