// A block has 4096 threads, and there is no launch check.
// task: row_scaling
// refused by: emulator, nvcc
// hazards: bad-launch
// says: (has 4096 threads; at most 1024 are allowed|a block can have 1 to 1024 threads)
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
    dim3 threads(64, 64);
    dim3 blocks((N + 63) / 64, (M + 63) / 64);
    scale_kernel<<<blocks, threads>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N);
    return C;
}
