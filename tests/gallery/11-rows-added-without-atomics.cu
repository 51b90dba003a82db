// A row of dC is added to a row of dW by += instead of an atomic operation.
// hazards: race
// says: a race on the new tensor .* blocks run in no fixed order: give each element to one thread, or use atomicAdd
// change of: 11-rows-overwritten
@@
-        dW[X[blockIdx.x] * D + j] = dC[blockIdx.x * D + j];
+        dW[X[blockIdx.x] * D + j] += dC[blockIdx.x * D + j];
