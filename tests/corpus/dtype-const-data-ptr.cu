// const_data_ptr and mutable_data_ptr.
// call: squared(x)
// gives: x * x
// call: squared(x.bfloat16())
// raises: RuntimeError: expected scalar type Float but found BFloat16
#include <torch/extension.h>

__global__ void squared_kernel(const float* __restrict__ A, float* __restrict__ C, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) C[i] = A[i] * A[i];
}

torch::Tensor squared(const torch::Tensor& A) {
    auto C = torch::empty_like(A);
    squared_kernel<<<2, 128>>>(A.const_data_ptr<float>(), C.mutable_data_ptr<float>(), A.numel());
    return C;
}
