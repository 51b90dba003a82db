# forward calls the module instead of the module's function.
# task: tiled_matmul
# says: 'Module' object is not callable .*return module\(A, B\)
import torch
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

constexpr int64_t cdiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

constexpr int kTile = 16;  // rows and columns of a tile, and of a block

__global__ void tiled_matmul_kernel(const float* A, const float* B, float* C, int64_t M, int64_t N, int64_t K) {
    __shared__ float As[kTile][kTile];  // As[k][i]
    __shared__ float Bs[kTile][kTile];  // Bs[k][j]
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int64_t i0 = static_cast<int64_t>(blockIdx.y) * kTile;  // first row of the block's tile of C
    const int64_t j0 = static_cast<int64_t>(blockIdx.x) * kTile;  // and its first column
    float sum = 0.0f;
    for (int64_t k0 = 0; k0 < K; k0 += kTile) {
        As[ty][tx] = k0 + ty < K && i0 + tx < M ? A[(k0 + ty) * M + i0 + tx] : 0.0f;
        Bs[tx][ty] = j0 + ty < N && k0 + tx < K ? B[(j0 + ty) * K + k0 + tx] : 0.0f;
        __syncthreads();
        for (int k = 0; k < kTile; ++k) {
            sum += As[k][ty] * Bs[k][tx];
        }
        __syncthreads();
    }
    if (i0 + ty < M && j0 + tx < N) {
        C[(i0 + ty) * N + j0 + tx] = sum;
    }
}

torch::Tensor transposed_matmul(torch::Tensor A, torch::Tensor B) {
    const int64_t K = A.size(0), M = A.size(1), N = B.size(0);
    torch::Tensor C = torch::empty({M, N}, A.options());
    if (C.numel() == 0) return C;
    const dim3 threads(kTile, kTile);
    const dim3 blocks(cdiv(N, kTile), cdiv(M, kTile));
    tiled_matmul_kernel<<<blocks, threads>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N, K);
    return C;
}
"""

module = load_inline(
    name="packaged_tiles",
    cpp_sources="torch::Tensor transposed_matmul(torch::Tensor A, torch::Tensor B);",
    cuda_sources=cuda_source,
    functions=["transposed_matmul"],
)


class ModelNew(torch.nn.Module):
    def forward(self, A, B):
        return module(A, B)
