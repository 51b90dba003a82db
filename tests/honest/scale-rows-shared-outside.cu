// Dynamic shared memory that is declared outside of the kernel, as in NVIDIA's samples, and first attempts under #if 0.
// task: row_scaling
#include <torch/extension.h>

extern __shared__ float smem[];

#if 0  // the first attempt, which isn't finished
#include <cuda_fp8.h>
#define LANE(x) asm("mov.u32 %0, %laneid;" : "=r"(x))
__attribute__((no_sanitize("thread"))) float on_host(float x);
__global__ void rows(const float* A, float* C) {
    __shared__ float s[2] = {1, 2};
    C[0] = on_host(A[0] * (2 +
#line 100
#endif

#ifdef FAST_MATH_DOES_NOT_EXIST
__device__ float scaled(float x, float y) {
    return __any(x) ? smem[ : y;
#else
__device__ float scaled(float x, int k) {
    return x * smem[k];
#endif
}

__global__ void scale_kernel(const float* A, const float* B, float* C, int M, int N, int rowsPerBlock) {
    const int first = blockIdx.x * rowsPerBlock, rows = min(rowsPerBlock, M - first);
    for (int r = threadIdx.x; r < rows; r += blockDim.x) smem[r] = A[first + r];
    __syncthreads();
    for (int k = threadIdx.x; k < rows * N; k += blockDim.x) C[first * N + k] = scaled(B[first * N + k], k / N);
}

torch::Tensor row_scaling(torch::Tensor A, torch::Tensor B) {
    int M = B.size(0), N = B.size(1);
    torch::Tensor C = torch::empty_like(B);
    if (M == 0 || N == 0) return C;
    int rowsPerBlock = 16;
    scale_kernel<<<(M + rowsPerBlock - 1) / rowsPerBlock, 128, rowsPerBlock * sizeof(float)>>>(
        A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N, rowsPerBlock);
    return C;
}
