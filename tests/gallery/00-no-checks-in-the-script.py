# The script's wrapper checks nothing, although the wrapper of the previous answer does.
# task: axpy
# refused by: emulator, nvcc
# says: The wrapper (accepted these inputs .* every input.s is_cuda\(\)|must refuse these inputs.* a tensor on the host)
# first attempt: 00 package, yes
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
        return module.axpy(s, A, B)
