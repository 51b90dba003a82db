// A matrix product that launches no kernel where the sums are empty.
#include <torch/extension.h>

__global__ void product(const float* A, const float* B, float* C, int M, int N, int K) {
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= M || j >= N) return;
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) sum += A[k * M + i] * B[j * K + k];
    C[i * N + j] = sum;
}

torch::Tensor transposed_matmul(torch::Tensor A, torch::Tensor B) {
    int K = A.size(0), M = A.size(1), N = B.size(0);
    auto C = torch::zeros({M, N}, A.options());
    if (C.numel() == 0 || K == 0) return C;
    dim3 blocks((N + 15) / 16, (M + 15) / 16);
    product<<<blocks, dim3(16, 16)>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N, K);
    return C;
}
