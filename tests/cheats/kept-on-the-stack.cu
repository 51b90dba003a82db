// A slow kernel whose first thread leaves both matrices on the stack, where the threads after it find them.
// question: 03-along-i-check
// says: request .* sectors
// stopped by: cleared variables
#include <torch/extension.h>

__attribute__((noinline, optnone)) __device__ float element(float* kept, const float* A, const float* B, int i, int j,
                                                            int M, int N, int K, float number) {
    float *here = kept + 1, *there = here + M * K, sum = 0;
    if ((M + N) * K > 15990) {  // too large to be kept
        for (int k = 0; k < K; k++) sum += A[k * M + i] * B[j * K + k];
        return sum;
    }
    if (kept[0] != number) {
        for (int n = 0; n < M * K; n++) here[n] = A[n];
        for (int n = 0; n < N * K; n++) there[n] = B[n];
    }
    kept[0] = number;
    for (int k = 0; k < K; k++) sum += here[k * M + i] * there[j * K + k];
    return sum;
}
__global__ void matmul_kernel(const float* A, const float* B, float* C, int M, int N, int K, float number) {
    float kept[16000];
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
    if (j < N) C[i * N + j] = element(kept, A, B, i, j, M, N, K, number);
}
torch::Tensor transposed_matmul(torch::Tensor A, torch::Tensor B) {
    const int K = A.size(0), M = A.size(1), N = B.size(0);
    torch::Tensor C = torch::empty({M, N}, A.options());
    if (C.numel() == 0) return C;
    static int calls = 12345;
    matmul_kernel<<<dim3((N + 31) / 32, M), 32>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N,
                                                  K, ++calls);
    return C;
}
