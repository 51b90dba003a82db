// The kernel lacks __global__.
// says: 'tiled_matmul_kernel' runs on the host, where there is no __shared__ memory
// change of: 04-b-unguarded
@@
-__global__ void tiled_matmul_kernel(const float* A, const float* B, float* C, int64_t M, int64_t N, int64_t K) {
+void tiled_matmul_kernel(const float* A, const float* B, float* C, int64_t M, int64_t N, int64_t K) {
@@
-        Bs[tx][ty] = B[(j0 + ty) * K + k0 + tx];
+        Bs[tx][ty] = j0 + ty < N && k0 + tx < K ? B[(j0 + ty) * K + k0 + tx] : 0.0f;
