// Neighbouring threads access elements of the same column, which are a row apart in memory.
// task: row_scaling_few_sectors
// refused by: emulator, nvcc
// says: Let neighbouring threads of a warp access neighbouring elements
// change of: 01-guard-one-too-far
@@
-    if (e <= M * N) {
-        C[e] = A[e / N] * B[e];
+    if (e < M * N) {
+        const int64_t i = e % M, j = e / M;
+        C[i * N + j] = A[i] * B[i * N + j];
