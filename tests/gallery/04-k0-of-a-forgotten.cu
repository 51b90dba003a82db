// The index into A does not use k0, so each step loads the first tile of A again.
// task: tiled_matmul
// says: Each step uses the first tile of A again
// change of: solution 04-jk
@@
-        As[ty][tx] = k0 + ty < K && i0 + tx < M ? A[(k0 + ty) * M + i0 + tx] : 0.0f;
+        As[ty][tx] = k0 + ty < K && i0 + tx < M ? A[ty * M + i0 + tx] : 0.0f;
