"""A `forward` that moves its inputs to the GPU itself; a two-dimensional grid."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = """
#include <torch/extension.h>
#include <cuda.h>
#include <cuda_runtime.h>

#define CHECK_CUDA(x) TORCH_CHECK(x.device().is_cuda(), #x " must be a CUDA tensor")
#define CHECK_CONTIGUOUS(x) TORCH_CHECK(x.is_contiguous(), #x " must be contiguous")
#define CHECK_INPUT(x) CHECK_CUDA(x); CHECK_CONTIGUOUS(x)

__global__ void diag_matmul_2d(const float* a, const float* b, float* c, int n, int m) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < n && col < m) c[row * m + col] = a[row] * b[row * m + col];
}

torch::Tensor diag_matmul(torch::Tensor a, torch::Tensor b) {
    CHECK_INPUT(a);
    CHECK_INPUT(b);
    int n = a.size(0);
    int m = b.size(1);
    auto c = torch::empty({n, m}, torch::TensorOptions().dtype(torch::kFloat32).device(b.device()));
    dim3 threads(16, 16);
    dim3 blocks((m + 15) / 16, (n + 15) / 16);
    diag_matmul_2d<<<blocks, threads>>>(a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), n, m);
    cudaDeviceSynchronize();
    return c;
}
"""

cpp_source = """
#include <torch/extension.h>
torch::Tensor diag_matmul(torch::Tensor a, torch::Tensor b);
"""

diag_ext = load_inline(
    name="diag_ext",
    cpp_sources=[cpp_source],
    cuda_sources=[cuda_source],
    functions={"diag_matmul": "diag(a) @ b"},
    build_directory=None,
)


class ModelNew(nn.Module):
    def forward(self, A, B):
        A = A.cuda().float().contiguous()
        B = B.to("cuda", non_blocking=True).contiguous()
        return diag_ext.diag_matmul(A, B)


def get_inputs():
    return [torch.randn(16, device="cuda"), torch.randn(16, 16, device="cuda")]
