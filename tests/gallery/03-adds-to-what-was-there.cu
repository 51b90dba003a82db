// The kernel adds to C, which torch::empty does not set to 0.
// task: transposed_matmul
// refused by: emulator, nvcc
// says: Line \d+ .* adds to C, and new memory is not 0
// first attempt: 03 x along j, yes
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void matmul_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;  // row of C
    int j = blockIdx.y * blockDim.y + threadIdx.y;  // column of C
    if (i < M && j < N) {
        for (int k = 0; k < K; k++) {
            C[i * N + j] += A[k * M + i] * B[j * K + k];
        }
    }
}

torch::Tensor transposed_matmul(torch::Tensor A, torch::Tensor B) {
    int K = A.size(0), M = A.size(1), N = B.size(0);
    auto C = torch::empty({M, N}, A.options());
    if (M * N == 0) return C;
    dim3 threads(32, 8);
    dim3 blocks((M + 31) / 32, (N + 7) / 8);
    auto stream = at::cuda::getCurrentCUDAStream();
    matmul_kernel<<<blocks, threads, 0, stream>>>(
        A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N, K);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return C;
}
