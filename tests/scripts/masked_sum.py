"""Inputs of three kinds, including a mask and a number, which the task file itself makes on the GPU."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = """
#include <torch/extension.h>

__global__ void masked_sum_kernel(const float* x, const bool* mask, float* y, float alpha, int rows, int columns) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int column = 0; column < columns; column++) {
        int e = row * columns + column;
        if (mask[e]) sum += x[e];
        y[e] = sum * alpha;
    }
}

torch::Tensor masked_sum(torch::Tensor x, torch::Tensor mask, double alpha) {
    auto y = torch::empty_like(x);
    int rows = x.size(0), columns = x.size(1);
    masked_sum_kernel<<<(rows + 63) / 64, 64>>>(x.data_ptr<float>(), mask.data_ptr<bool>(), y.data_ptr<float>(), alpha,
                                                rows, columns);
    return y;
}
"""

masked = load_inline(
    name="masked_sum",
    cpp_sources="torch::Tensor masked_sum(torch::Tensor x, torch::Tensor mask, double alpha);",
    cuda_sources=cuda_source,
    functions=["masked_sum"],
)


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        assert dim == 1

    def forward(self, x, mask, alpha=1.0):
        return masked.masked_sum(x.cuda(), mask.cuda(), alpha)
