// A mode, given by its name.
// call: [by_mode(A, "double"), by_mode(A, "negate")]
// gives: [A * 2, -A]
// call: by_mode(A, "halve")
// raises: ValueError: mode must be double or negate, got 'halve'
// call: by_mode(A, 3)
// raises: TypeError: by_mode(): incompatible function arguments
#include <torch/extension.h>

template <bool kNegate>
__global__ void by_mode_kernel(const float* A, float* C) {
    if constexpr (kNegate) {
        C[threadIdx.x] = -A[threadIdx.x];
    } else {
        C[threadIdx.x] = 2 * A[threadIdx.x];
    }
}

torch::Tensor by_mode(torch::Tensor A, const std::string& mode) {
    TORCH_CHECK_VALUE(mode == "double" || mode == "negate", "mode must be double or negate, got '", mode, "'");
    auto C = torch::empty_like(A);
    auto kernel = mode == "negate" ? by_mode_kernel<true> : by_mode_kernel<false>;
    kernel<<<1, A.numel()>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
