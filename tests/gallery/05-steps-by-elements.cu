// The loop's index counts elements and steps by the number of threads, but each load has four elements.
// refused by: emulator
// hazards: out-of-bounds
// says: past the end of the new tensor .* does the last float4 reach too far
// change of: 05-tail-missing
@@
-    int i = blockIdx.x * blockDim.x + threadIdx.x;
-...
-        reinterpret_cast<float4*>(C)[i] = make_float4(relu(a.x), relu(a.y), relu(a.z), relu(a.w));
+    int threads = gridDim.x * blockDim.x;
+    for (int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x); i < N; i += threads) {
+        float4 a = *reinterpret_cast<const float4*>(A + i);
+        *reinterpret_cast<float4*>(C + i) = make_float4(relu(a.x), relu(a.y), relu(a.z), relu(a.w));
