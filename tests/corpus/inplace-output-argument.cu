// The output is the last argument, like an extension's out=.
// call: [added_out(x, y, x), x]
// gives: [None, x + y]
#include <torch/extension.h>

__global__ void added_out_kernel(const float* A, const float* B, float* C, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) C[i] = A[i] + B[i];
}

void added_out(const torch::Tensor A, const torch::Tensor B, torch::Tensor& C) {
    TORCH_CHECK(A.sizes() == C.sizes() && B.sizes() == C.sizes());
    added_out_kernel<<<(A.numel() + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(),
                                                       A.numel());
}
