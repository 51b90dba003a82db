// The number of blocks is rounded down in both dimensions of the grid.
// task: row_scaling
// refused by: emulator, nvcc
// hazards: bad-launch
// says: Every row from row 256 on and every column from column 224 on .* rounded down instead of up
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void scale_kernel(const float* A, const float* B, float* C, int M, int N) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;  // column
    int i = blockIdx.y * blockDim.y + threadIdx.y;  // row
    if (i < M && j < N) {
        C[i * N + j] = A[i] * B[i * N + j];
    }
}

torch::Tensor scale_rows(torch::Tensor A, torch::Tensor B) {
    auto C = torch::empty_like(B);
    int M = B.size(0), N = B.size(1);
    if (M * N == 0) return C;
    dim3 threads(32, 8);
    dim3 blocks(N / 32, M / 8);
    scale_kernel<<<blocks, threads>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N);
    return C;
}
