// The older names of std::optional and std::nullopt.
// call: [clipped(A, 1.0, None), clipped(A, None, -1)]
// gives: [A.clamp(max=1.0), A.clamp(min=-1)]
#include <torch/extension.h>

__global__ void clipped_kernel(const float* A, float* C, float high, float low) {
    C[threadIdx.x] = fminf(fmaxf(A[threadIdx.x], low), high);
}

torch::Tensor clipped(torch::Tensor A, const c10::optional<double>& high, c10::optional<int64_t> low = c10::nullopt) {
    auto C = torch::empty_like(A);
    clipped_kernel<<<1, A.numel()>>>(A.data_ptr<float>(), C.data_ptr<float>(), high ? float(*high) : INFINITY,
                                     low.has_value() ? float(low.value()) : -INFINITY);
    return C;
}
