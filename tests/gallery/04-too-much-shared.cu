// For fewer barriers, a step has 512 values of k, but its tiles need 64 KB of shared memory; a block may declare 48 KB.
// says: (declares 65536 bytes of __shared__ arrays|too much shared data)
// change of: 04-b-not-transposed
@@
 
+#define DEPTH 512
+
 __global__ void matmul_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
@@
-    __shared__ float As[TILE][TILE];
-    __shared__ float Bs[TILE][TILE];
+    __shared__ float As[DEPTH][TILE];
+    __shared__ float Bs[DEPTH][TILE];
@@
-    for (int k0 = 0; k0 < K; k0 += TILE) {
-        As[ty][tx] = k0 + ty < K && blockIdx.y * TILE + tx < M ? A[(k0 + ty) * M + blockIdx.y * TILE + tx] : 0.0f;
-        Bs[ty][tx] = k0 + tx < K && blockIdx.x * TILE + ty < N ? B[(blockIdx.x * TILE + ty) * K + k0 + tx] : 0.0f;
+    for (int k0 = 0; k0 < K; k0 += DEPTH) {
+        for (int k = ty; k < DEPTH; k += TILE) {
+            As[k][tx] = k0 + k < K && blockIdx.y * TILE + tx < M ? A[(k0 + k) * M + blockIdx.y * TILE + tx] : 0.0f;
+        }
+        for (int k = tx; k < DEPTH; k += TILE) {
+            Bs[k][ty] = k0 + k < K && blockIdx.x * TILE + ty < N ? B[(blockIdx.x * TILE + ty) * K + k0 + k] : 0.0f;
+        }
@@
-        for (int k = 0; k < TILE; k++) {
+        for (int k = 0; k < DEPTH; k++) {
