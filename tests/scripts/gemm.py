"""Two parameters whose order determines their random values; integers as an input; a single number as the result."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = """
#include <torch/extension.h>

// One thread: what matters here is what it is given.
__global__ void loss_kernel(const float* x, const float* weight, const float* bias, const int64_t* targets, float* loss,
                            int rows, int terms) {
    float sum = 0.0f;
    for (int row = 0; row < rows; row++) {
        int64_t target = targets[row];
        sum += bias[target];
        for (int k = 0; k < terms; k++) sum += x[row * terms + k] * weight[target * terms + k];
    }
    *loss = -sum / rows;
}

torch::Tensor loss(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, torch::Tensor targets) {
    auto result = torch::empty({}, x.options());
    loss_kernel<<<1, 1>>>(x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(),
                          targets.data_ptr<int64_t>(), result.data_ptr<float>(), x.size(0), x.size(1));
    return result;
}
"""

loss = load_inline(
    name="loss",
    cpp_sources="torch::Tensor loss(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, torch::Tensor targets);",
    cuda_sources=cuda_source,
    functions=["loss"],
)


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, bias_shape):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features, bias=False)
        self.bias = nn.Parameter(torch.randn(bias_shape) * 0.5)

    def forward(self, x, targets):
        return loss.loss(x, self.gemm.weight, self.bias, targets)
