# forward computes the sum with PyTorch.
# task: axpy
# hazards: library-call
# says: PyTorch \(.*\) computed what the answer.s own kernel should compute
import torch
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void axpy_kernel(float s, const float* A, const float* B, float* C, int64_t N) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < N) {
        C[i] = s * A[i] + B[i];
    }
}

torch::Tensor axpy(double s, torch::Tensor A, torch::Tensor B) {
    TORCH_CHECK(A.is_cuda() && B.is_cuda(), "A and B must be on the GPU");
    TORCH_CHECK(A.scalar_type() == torch::kFloat32 && B.scalar_type() == torch::kFloat32, "A and B must be float32");
    TORCH_CHECK(A.sizes() == B.sizes(), "A and B must have the same shape");
    TORCH_CHECK(A.is_contiguous() && B.is_contiguous(), "A and B must be contiguous");
    torch::Tensor C = torch::empty_like(A);
    const int64_t N = A.numel();
    if (N == 0) return C;
    axpy_kernel<<<(N + 255) / 256, 256>>>(
        static_cast<float>(s), A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), N);
    return C;
}
"""

module = load_inline(
    name="packaged_axpy",
    cpp_sources="torch::Tensor axpy(double s, torch::Tensor A, torch::Tensor B);",
    cuda_sources=cuda_source,
    functions=["axpy"],
)


class ModelNew(torch.nn.Module):
    def forward(self, s, A, B):
        return s * A + B
