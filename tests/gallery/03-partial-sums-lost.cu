// Thread 0 stores its own partial sum: nobody adds them up.
// task: transposed_matmul
// refused by: emulator, nvcc
// says: Each element is its first term alone: the partial sums of all threads but one are lost
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

constexpr int THREADS = 256;

__global__ void matmul_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float partial[THREADS];
    int i = blockIdx.y, j = blockIdx.x, t = threadIdx.x;
    float sum = 0;
    for (int k = t; k < K; k += THREADS) {
        sum += A[k * M + i] * B[j * K + k];
    }
    partial[t] = sum;
    __syncthreads();
    if (t == 0) {
        C[i * N + j] = partial[0];
    }
}

torch::Tensor transposed_matmul(torch::Tensor A, torch::Tensor B) {
    int K = A.size(0), M = A.size(1), N = B.size(0);
    auto C = torch::empty({M, N}, A.options());
    if (M * N == 0) return C;
    dim3 threads(THREADS), blocks(N, M);
    auto stream = at::cuda::getCurrentCUDAStream();
    matmul_kernel<<<blocks, threads, 0, stream>>>(
        A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N, K);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return C;
}
