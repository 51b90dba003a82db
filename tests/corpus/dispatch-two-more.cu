// Half and bfloat16 beside the floating types, with arithmetic in the type itself.
// call: plus_one(A.bfloat16())
// gives: A.bfloat16() + 1
// call: plus_one(A.half())
// gives: A.half() + 1
// call: plus_one(A.int())
// raises: NotImplementedError: "plus_one" not implemented for 'Int'
#include <torch/extension.h>

template <typename scalar_t>
__global__ void plus_one_kernel(const scalar_t* A, scalar_t* C) {
    C[threadIdx.x] = A[threadIdx.x] + scalar_t(1);
}

torch::Tensor plus_one(torch::Tensor A) {
    auto C = torch::empty_like(A);
    AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, A.scalar_type(), "plus_one", [&] {
        plus_one_kernel<scalar_t><<<1, A.numel()>>>(A.data_ptr<scalar_t>(), C.data_ptr<scalar_t>());
    });
    return C;
}
