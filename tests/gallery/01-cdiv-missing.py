# The script uses a function that only another cell defines.
# task: row_scaling
# refused by: emulator
# says: No header of CUDA declares cdiv: write \(a \+ b - 1\) / b in this source
import torch
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void scale_rows_kernel(const float* A, const float* B, float* C, int64_t M, int64_t N) {
    const int64_t e = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;  // element of B and C
    if (e < M * N) {
        C[e] = A[e / N] * B[e];
    }
}

torch::Tensor scale_rows(torch::Tensor A, torch::Tensor B) {
    torch::Tensor C = torch::empty_like(B);
    const int64_t M = B.size(0), N = B.size(1);
    if (B.numel() == 0) return C;
    scale_rows_kernel<<<cdiv(M * N, 256), 256>>>(
        A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N);
    return C;
}
"""

module = load_inline(
    name="packaged_row_scaling",
    cpp_sources="torch::Tensor scale_rows(torch::Tensor A, torch::Tensor B);",
    cuda_sources=cuda_source,
    functions=["scale_rows"],
)


class ModelNew(torch.nn.Module):
    def forward(self, A, B):
        return module.scale_rows(A, B)
