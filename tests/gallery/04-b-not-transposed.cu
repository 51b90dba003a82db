// The tile of B is stored in the same order as in B, but used as if it had been transposed.
// task: tiled_matmul
// says: The tile of B is used without its transpose
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

#define TILE 16

__global__ void matmul_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.y * TILE + ty;  // row of C
    int j = blockIdx.x * TILE + tx;  // column of C
    float sum = 0.0f;
    for (int k0 = 0; k0 < K; k0 += TILE) {
        As[ty][tx] = k0 + ty < K && blockIdx.y * TILE + tx < M ? A[(k0 + ty) * M + blockIdx.y * TILE + tx] : 0.0f;
        Bs[ty][tx] = k0 + tx < K && blockIdx.x * TILE + ty < N ? B[(blockIdx.x * TILE + ty) * K + k0 + tx] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            sum += As[k][ty] * Bs[k][tx];
        }
        __syncthreads();
    }
    if (i < M && j < N) {
        C[i * N + j] = sum;
    }
}

torch::Tensor transposed_matmul(torch::Tensor A, torch::Tensor B) {
    int K = A.size(0), M = A.size(1), N = B.size(0);
    auto C = torch::empty({M, N}, A.options());
    if (M * N == 0) return C;
    dim3 threads(TILE, TILE);
    dim3 blocks((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    matmul_kernel<<<blocks, threads>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N, K);
    return C;
}
