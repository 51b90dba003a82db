// A bias that may be None.
// call: [biased(A, B), biased(A, None)]
// gives: [A + B, A]
// call: biased(A, 1)
// raises: TypeError: biased(): incompatible function arguments
#include <torch/extension.h>

__global__ void biased_kernel(const float* A, const float* bias, float* C) {
    C[threadIdx.x] = A[threadIdx.x] + (bias ? bias[threadIdx.x] : 0.0f);
}

torch::Tensor biased(torch::Tensor A, std::optional<torch::Tensor> bias) {
    auto C = torch::empty_like(A);
    const float* b = bias.has_value() ? bias->data_ptr<float>() : nullptr;
    biased_kernel<<<1, A.numel()>>>(A.data_ptr<float>(), b, C.data_ptr<float>());
    return C;
}
