"""A `ModelNew` with a layer of PyTorch's, made as the reference makes it, so that it has the same random weights."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = """
#include <torch/extension.h>

__global__ void conv_kernel(const float* x, const float* weight, const float* bias, float* y, int channels, int height,
                            int width, int filters, int size, int stride, int rows, int columns, int n) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= n) return;
    int column = e % columns, row = e / columns % rows;
    int f = e / columns / rows % filters, image = e / columns / rows / filters;
    float sum = bias[f];
    for (int c = 0; c < channels; c++)
        for (int i = 0; i < size; i++)
            for (int j = 0; j < size; j++)
                sum += x[((image * channels + c) * height + row * stride + i) * width + column * stride + j] *
                       weight[((f * channels + c) * size + i) * size + j];
    y[e] = sum;
}

torch::Tensor conv(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, int64_t stride) {
    int rows = (x.size(2) - weight.size(2)) / stride + 1, columns = (x.size(3) - weight.size(3)) / stride + 1;
    auto y = torch::empty({x.size(0), weight.size(0), rows, columns}, x.options());
    int n = y.numel();
    conv_kernel<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(),
                                          y.data_ptr<float>(), x.size(1), x.size(2), x.size(3), weight.size(0),
                                          weight.size(2), stride, rows, columns, n);
    return y;
}
"""

conv = load_inline(
    name="conv",
    cpp_sources="torch::Tensor conv(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, int64_t stride);",
    cuda_sources=cuda_source,
    functions=["conv"],
)


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, bias=True):
        super().__init__()
        self.conv2d = nn.Conv2d(in_channels, out_channels, (kernel_size, kernel_size), stride=stride, bias=bias)

    def forward(self, x):
        return conv.conv(x, self.conv2d.weight, self.conv2d.bias, self.conv2d.stride[0])
