// Every head uses the keys and values of the first head.
// task: attention
// refused by: emulator, nvcc
// says: All heads use the keys and values of head 0
// change of: 10-values-not-rescaled
@@
-    const int64_t head = row / N * N;
@@
-        const float* k = K + (head + j) * kDim;
-        const float* v = V + (head + j) * kDim;
+        const float* k = K + j * kDim;
+        const float* v = V + j * kDim;
@@
-            out[d] += p * v[d];
+            out[d] = out[d] * keep + p * v[d];
