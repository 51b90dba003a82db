"""A C++ exception after the launch, noisy builds, and an empty string among the flags."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = """
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <stdexcept>
#include <string>

#define THREADS_PER_BLOCK 512

__global__ void mul_scalar(const float* __restrict__ x, const float s, float* __restrict__ y, const size_t n) {
    const size_t i = (size_t)blockIdx.x * THREADS_PER_BLOCK + threadIdx.x;
    if (i >= n) return;
    y[i] = x[i] * s;
}

at::Tensor mul_scalar_launch(at::Tensor x, double s) {
    auto y = at::empty_like(x);
    const size_t n = x.numel();
    dim3 grid((n + THREADS_PER_BLOCK - 1) / THREADS_PER_BLOCK);
    dim3 block(THREADS_PER_BLOCK);
    mul_scalar<<<grid, block>>>(x.data_ptr<float>(), static_cast<float>(s), y.data_ptr<float>(), n);

    cudaError_t err = cudaGetLastError();
    if (err != cudaSuccess) {
        throw std::runtime_error(std::string("mul_scalar failed: ") + cudaGetErrorString(err));
    }
    return y;
}
"""

module = load_inline(
    name="mul_scalar_module",
    cpp_sources="at::Tensor mul_scalar_launch(at::Tensor x, double s);",
    cuda_sources=source,
    functions=["mul_scalar_launch"],
    verbose=True,
    extra_cflags=[""],
    extra_ldflags=[""],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, A, s):
        return module.mul_scalar_launch(A, s)


def get_inputs():
    return [torch.ones(3, 3).cuda(), 0.0]


def get_init_inputs():
    return []
