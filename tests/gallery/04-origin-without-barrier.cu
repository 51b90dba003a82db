// One thread computes where the tile begins, and the other threads read this value without a barrier.
// task: tiled_matmul
// refused by: tracer
// says: reads what line 1[67] .* writes in another thread; a __syncthreads\(\) is missing between
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

#define TILE 16

__global__ void matmul_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    __shared__ unsigned i0, j0;
    if (tx == 0 && ty == 0) {
        i0 = blockIdx.y * TILE;
        j0 = blockIdx.x * TILE;
    }
    float sum = 0.0f;
    for (int k0 = 0; k0 < K; k0 += TILE) {
        As[ty][tx] = k0 + ty < K && i0 + tx < M ? A[(k0 + ty) * M + i0 + tx] : 0.0f;
        Bs[tx][ty] = k0 + tx < K && j0 + ty < N ? B[(j0 + ty) * K + k0 + tx] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            sum += As[k][ty] * Bs[k][tx];
        }
        __syncthreads();
    }
    if (i0 + ty < M && j0 + tx < N) {
        C[(i0 + ty) * N + j0 + tx] = sum;
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
