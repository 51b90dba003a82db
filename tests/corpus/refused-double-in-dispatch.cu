// A float kernel in a dispatch, whose body is compiled for double too.
// refused: double.*float
#include <torch/extension.h>

__global__ void only_float_kernel(const float* A, float* C) { C[threadIdx.x] = A[threadIdx.x]; }

torch::Tensor only_float(torch::Tensor A) {
    auto C = torch::empty_like(A);
    AT_DISPATCH_FLOATING_TYPES(A.scalar_type(), "only_float", ([&] {
        only_float_kernel<<<1, A.numel()>>>(A.data_ptr<scalar_t>(), C.data_ptr<scalar_t>());
    }));
    return C;
}
