// Threads past the edge of the matrix sum elements of the tiles that no thread stored, and store no result.
// task: tiled_matmul
#include <torch/extension.h>

#define TILE 16

__global__ void matmul_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    int i = blockIdx.y * TILE + threadIdx.y, j = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += TILE) {
        int ai = blockIdx.y * TILE + threadIdx.x, bj = blockIdx.x * TILE + threadIdx.y;
        if (ai < M) As[threadIdx.y][threadIdx.x] = k0 + threadIdx.y < K ? A[(k0 + threadIdx.y) * M + ai] : 0.0f;
        if (bj < N) Bs[threadIdx.x][threadIdx.y] = k0 + threadIdx.x < K ? B[bj * K + k0 + threadIdx.x] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum += As[k][threadIdx.y] * Bs[k][threadIdx.x];
        __syncthreads();
    }
    if (i < M && j < N) C[i * N + j] = sum;
}

torch::Tensor transposed_matmul(torch::Tensor A, torch::Tensor B) {
    int K = A.size(0), M = A.size(1), N = B.size(0);
    auto C = torch::empty({M, N}, A.options());
    if (C.numel() == 0) return C;
    dim3 block(TILE, TILE), grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    matmul_kernel<<<grid, block>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N, K);
    return C;
}
