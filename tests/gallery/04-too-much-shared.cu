// For fewer barriers, a step has 512 values of k, but its tiles need 64 KB of shared memory; a block may declare 48 KB.
// task: tiled_matmul
// refused by: emulator, nvcc
// says: (declares 65536 bytes of __shared__ arrays|too much shared data)
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

#define TILE 16

#define DEPTH 512

__global__ void matmul_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float As[DEPTH][TILE];
    __shared__ float Bs[DEPTH][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.y * TILE + ty;  // row of C
    int j = blockIdx.x * TILE + tx;  // column of C
    float sum = 0.0f;
    for (int k0 = 0; k0 < K; k0 += DEPTH) {
        for (int k = ty; k < DEPTH; k += TILE) {
            As[k][tx] = k0 + k < K && blockIdx.y * TILE + tx < M ? A[(k0 + k) * M + blockIdx.y * TILE + tx] : 0.0f;
        }
        for (int k = tx; k < DEPTH; k += TILE) {
            Bs[k][ty] = k0 + k < K && blockIdx.x * TILE + ty < N ? B[(blockIdx.x * TILE + ty) * K + k0 + k] : 0.0f;
        }
        __syncthreads();
        for (int k = 0; k < DEPTH; k++) {
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
