// Elements of 16 bits read with __ldg.
// call: ldg_doubled(A)
// gives: 2 * A
// call: ldg_doubled(A.half())
// gives: 2 * A.half()
// call: ldg_doubled(A.bfloat16())
// gives: 2 * A.bfloat16()
#include <torch/extension.h>

template <typename scalar_t>
__global__ void ldg_doubled_kernel(const scalar_t* __restrict__ A, scalar_t* __restrict__ C, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) C[i] = __ldg(&A[i]) * scalar_t(2);
}

torch::Tensor ldg_doubled(torch::Tensor A) {
    auto C = torch::empty_like(A);
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, A.scalar_type(), "ldg_doubled", [&] {
        ldg_doubled_kernel<scalar_t><<<1, 32>>>(A.data_ptr<scalar_t>(), C.data_ptr<scalar_t>(), A.numel());
    });
    return C;
}
