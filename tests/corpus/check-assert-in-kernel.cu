// assert in a kernel, with one argument.
// call: roots(x[600:])
// gives: x[600:].double().sqrt().float()
#include <torch/extension.h>

__global__ void roots_kernel(const float* A, float* C, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    assert(A[i] >= 0.0f);
    C[i] = sqrtf(A[i]);
}

torch::Tensor roots(torch::Tensor A) {
    auto C = torch::empty_like(A);
    roots_kernel<<<(A.numel() + 255) / 256, 256>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
