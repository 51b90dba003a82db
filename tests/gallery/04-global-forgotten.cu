// The kernel lacks __global__.
// task: tiled_matmul
// refused by: emulator
// says: 'tiled_matmul_kernel' runs on the host, where there is no __shared__ memory
// change of: solution 04-jk
@@
-__global__ void tiled_matmul_kernel(const float* __restrict__ A, const float* __restrict__ B,
+void tiled_matmul_kernel(const float* __restrict__ A, const float* __restrict__ B,
