// The result is a tensor that copy_ fills from the kernel's output.
// task: relu
#include <torch/extension.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] < 0.f ? 0.f : x[i];
}

torch::Tensor relu(torch::Tensor A) {
    auto flat = A.contiguous().view({-1});
    auto buffer = torch::empty_like(flat);
    int n = flat.numel();
    if (n) relu_kernel<<<(n + 255) / 256, 256>>>(flat.data_ptr<float>(), buffer.data_ptr<float>(), n);
    auto C = torch::empty(A.sizes(), A.options());
    C.copy_(buffer.view(A.sizes()));
    return C;
}
