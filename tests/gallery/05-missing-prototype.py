# cpp_sources is empty, so the file that binds the function never saw its prototype.
# task: relu
# says: cpp_sources lacks the prototype of relu_forward
import torch
from torch.utils.cpp_extension import load_inline

cuda_source = """
#include <torch/extension.h>

__global__ void relu_kernel(const float* A, float* C, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        C[i] = A[i] < 0.0f ? 0.0f : A[i];
    }
}

torch::Tensor relu_forward(torch::Tensor A) {
    auto C = torch::empty_like(A);
    int N = A.numel();
    if (N == 0) return C;
    relu_kernel<<<(N + 255) / 256, 256>>>(A.data_ptr<float>(), C.data_ptr<float>(), N);
    return C;
}
"""

module = load_inline(name="relu_module", cpp_sources="", cuda_sources=cuda_source, functions=["relu_forward"])


class ModelNew(torch.nn.Module):
    def forward(self, A):
        return module.relu_forward(A)
