// One thread per row of C; its sum goes on from column to column.
// task: transposed_matmul
// refused by: emulator, nvcc
// says: The sum is not set to 0 for each column: every element also contains the sums of the elements before it in its row
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void matmul_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;  // row of C
    if (i < M) {
        float sum = 0;
        for (int j = 0; j < N; j++) {
            for (int k = 0; k < K; k++) {
                sum += A[k * M + i] * B[j * K + k];
            }
            C[i * N + j] = sum;
        }
    }
}

torch::Tensor transposed_matmul(torch::Tensor A, torch::Tensor B) {
    int K = A.size(0), M = A.size(1), N = B.size(0);
    auto C = torch::empty({M, N}, A.options());
    if (M * N == 0) return C;
    int threads = 64, blocks = (M + 63) / 64;
    auto stream = at::cuda::getCurrentCUDAStream();
    matmul_kernel<<<blocks, threads, 0, stream>>>(
        A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N, K);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return C;
}
