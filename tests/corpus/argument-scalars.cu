// A float, an int, a bool and a 64-bit size.
// call: scaled(A, 2.5, 1, True, 2**40)
// gives: (A * 2.5 + 1, 2**40)
// call: scaled(A, 2, 0, False, 0)
// gives: (A * 2, 0)
// call: scaled(A, 2.5, 1.5, True, 0)
// raises: TypeError: scaled(): incompatible function arguments
// call: scaled(A, "2.5", 1, True, 0)
// raises: TypeError: scaled(): incompatible function arguments
// call: scaled(A, 2.5, 2**31, True, 0)
// raises: TypeError: scaled(): incompatible function arguments
#include <torch/extension.h>

__global__ void scaled_kernel(const float* A, float* C, float factor, int offset, bool add) {
    C[threadIdx.x] = A[threadIdx.x] * factor + (add ? offset : 0);
}

std::tuple<torch::Tensor, int64_t> scaled(torch::Tensor A, float factor, int offset, bool add, int64_t large) {
    auto C = torch::empty_like(A);
    scaled_kernel<<<1, A.numel()>>>(A.data_ptr<float>(), C.data_ptr<float>(), factor, offset, add);
    return {C, large};
}
