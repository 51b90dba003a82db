// Split-K: blocks along z add their partial sums to zeros with atomicAdd.
// task: transposed_matmul
#include <torch/extension.h>

__global__ void matmul_kernel(const float* A, const float* B, float* C, int M, int N, int K, int part) {
    const int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= M || j >= N) return;
    float sum = 0;
    const int end = min(K, (int)(blockIdx.z + 1) * part);
    for (int k = blockIdx.z * part; k < end; ++k) sum += A[k * M + i] * B[j * K + k];
    atomicAdd(&C[i * N + j], sum);
}

torch::Tensor transposed_matmul(torch::Tensor A, torch::Tensor B) {
    const int K = A.size(0), M = A.size(1), N = B.size(0), part = 64;
    auto C = torch::zeros({M, N}, A.options());
    if (M == 0 || N == 0 || K == 0) return C;
    const dim3 block(16, 8), grid((N + 15) / 16, (M + 7) / 8, (K + part - 1) / part);
    matmul_kernel<<<grid, block>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N, K, part);
    return C;
}
