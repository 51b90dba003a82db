# forward passes A.T, but the kernel already transposes A.
# task: transposed_matmul_checked
# says: A has \d+ rows but B has \d+ columns .*module\.transposed_matmul\(A\.T, B\)
import torch
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

constexpr int64_t cdiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

__global__ void transposed_matmul_kernel(
    const float* A, const float* B, float* C, int64_t M, int64_t N, int64_t K) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;  // row of C
    const int64_t j = static_cast<int64_t>(blockIdx.y) * blockDim.y + threadIdx.y;  // column of C
    if (i < M && j < N) {
        float sum = 0.0f;
        for (int64_t k = 0; k < K; ++k) {
            sum += A[k * M + i] * B[j * K + k];
        }
        C[i * N + j] = sum;
    }
}

torch::Tensor transposed_matmul(torch::Tensor A, torch::Tensor B) {
    TORCH_CHECK(A.dim() == 2 && B.dim() == 2, "A and B must be matrices");
    TORCH_CHECK(A.size(0) == B.size(1), "A has ", A.size(0), " rows but B has ", B.size(1), " columns");
    TORCH_CHECK(A.is_cuda() && B.is_cuda(), "A and B must be on the GPU");
    TORCH_CHECK(A.scalar_type() == torch::kFloat32 && B.scalar_type() == torch::kFloat32, "A and B must be float32");
    TORCH_CHECK(A.is_contiguous() && B.is_contiguous(), "A and B must be contiguous");
    const int64_t K = A.size(0), M = A.size(1), N = B.size(0);
    torch::Tensor C = torch::empty({M, N}, A.options());
    if (C.numel() == 0) return C;
    const dim3 threads(32, 8);
    const dim3 blocks(cdiv(M, 32), cdiv(N, 8));
    transposed_matmul_kernel<<<blocks, threads>>>(
        A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N, K);
    return C;
}
"""

module = load_inline(
    name="packaged_transposed_matmul",
    cpp_sources="torch::Tensor transposed_matmul(torch::Tensor A, torch::Tensor B);",
    cuda_sources=cuda_source,
    functions=["transposed_matmul"],
)


class ModelNew(torch.nn.Module):
    def forward(self, A, B):
        return module.transposed_matmul(A.T, B)
