// Dynamic shared memory for the rows' factors, which all threads of a block load together.
// task: row_scaling
#include <torch/extension.h>

__global__ void scale_kernel(const float* A, const float* B, float* C, int M, int N, int rowsPerBlock) {
    extern __shared__ float a[];
    const int first = blockIdx.x * rowsPerBlock, rows = min(rowsPerBlock, M - first);
    for (int r = threadIdx.x; r < rows; r += blockDim.x) a[r] = A[first + r];
    __syncthreads();
    for (int k = threadIdx.x; k < rows * N; k += blockDim.x) C[first * N + k] = a[k / N] * B[first * N + k];
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
