// Each row is added to the row of its place instead of the row of its token.
// hazards: out-of-bounds
// says: changes \(atomically\) past the end of the new tensor .* or is the index wrong
// change of: 11-rows-overwritten
@@
-        dW[X[blockIdx.x] * D + j] = dC[blockIdx.x * D + j];
+        atomicAdd(&dW[blockIdx.x * D + j], dC[blockIdx.x * D + j]);
