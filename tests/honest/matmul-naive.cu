// One thread per element.
// task: transposed_matmul
#include <torch/extension.h>

__global__ void matmul_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M && col < N) {
        float acc = 0.0f;
        for (int k = 0; k < K; ++k) acc += A[k * M + row] * B[col * K + k];
        C[row * N + col] = acc;
    }
}

torch::Tensor transposed_matmul(torch::Tensor A, torch::Tensor B) {
    const int K = A.size(0), M = A.size(1), N = B.size(0);
    auto C = torch::zeros({M, N}, A.options());
    if (M == 0 || N == 0) return C;
    dim3 threads(16, 16);
    dim3 blocks((N + threads.x - 1) / threads.x, (M + threads.y - 1) / threads.y);
    matmul_kernel<<<blocks, threads>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N, K);
    return C;
}
