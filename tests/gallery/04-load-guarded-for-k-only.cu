// The guard of A's load checks only k, so threads past the last column read other elements, or past the end of A.
// task: tiled_matmul
// refused by: tracer
// says: reads past the end of A .* is a guard missing
// change of: solution 04-jk
@@
-        As[ty][tx] = k0 + ty < K && i0 + tx < M ? A[(k0 + ty) * M + i0 + tx] : 0.0f;
+        As[ty][tx] = k0 + ty < K ? A[(k0 + ty) * M + i0 + tx] : 0.0f;
