// The index into B assumes rows of N elements, as in C, but each row of B has K elements.
// task: transposed_matmul_1024
// says: Rows of B were read as if each had N elements; B is \(N, K\)
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void matmul_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;  // row of C
    int j = blockIdx.y * blockDim.y + threadIdx.y;  // column of C
    if (i < M && j < N) {
        float sum = 0;
        for (int k = 0; k < K; k++) {
            sum += A[k * M + i] * B[j * N + k];
        }
        C[i * N + j] = sum;
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
