// Only the first loop has float4; the second loop goes element by element.
// task: softmax_repaired
// refused by: emulator
// says: The kernels make [\d,]+ requests to global memory, but the question asks for two loops over a row, with a third
// change of: solution 08-repair
@@
-    for (int64_t i = threadIdx.x; i < N / 4; i += kThreads) {
-        const float4 e = exp_below(row[i], part.max);
-        out[i] = make_float4(e.x / part.sum, e.y / part.sum, e.z / part.sum, e.w / part.sum);
+    for (int64_t j = threadIdx.x; j < N; j += kThreads) {
+        C[blockIdx.x * N + j] = expf(A[blockIdx.x * N + j] - part.max) / part.sum;
