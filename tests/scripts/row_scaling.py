"""One thread per element, one division per element; built when the module is imported."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

row_scaling_source = """
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void row_scaling_kernel(const float* diag, const float* mat, float* out, int rows, int cols) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < rows * cols) {
        out[idx] = diag[idx / cols] * mat[idx];
    }
}

torch::Tensor row_scaling_cuda(torch::Tensor diag, torch::Tensor mat) {
    auto rows = mat.size(0);
    auto cols = mat.size(1);
    auto out = torch::zeros_like(mat);

    const int block_size = 256;
    const int num_blocks = (rows * cols + block_size - 1) / block_size;

    row_scaling_kernel<<<num_blocks, block_size>>>(
        diag.data_ptr<float>(), mat.data_ptr<float>(), out.data_ptr<float>(), rows, cols);

    return out;
}
"""

row_scaling_cpp_source = "torch::Tensor row_scaling_cuda(torch::Tensor diag, torch::Tensor mat);"

row_scaling = load_inline(
    name="row_scaling",
    cpp_sources=row_scaling_cpp_source,
    cuda_sources=row_scaling_source,
    functions=["row_scaling_cuda"],
    verbose=True,
    extra_cflags=["-O3"],
    extra_cuda_cflags=["-O3", "--use_fast_math"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.row_scaling = row_scaling

    def forward(self, A, B):
        return self.row_scaling.row_scaling_cuda(A, B)
