// One dispatch inside another.
// call: cast_sum(A, A.double())
// gives: A.double() * 2
// call: cast_sum(A.double(), A)
// gives: (A * 2).double()
#include <torch/extension.h>

template <typename a_t, typename b_t>
__global__ void cast_sum_kernel(const a_t* A, const b_t* B, double* C) {
    C[threadIdx.x] = static_cast<double>(A[threadIdx.x]) + static_cast<double>(B[threadIdx.x]);
}

torch::Tensor cast_sum(torch::Tensor A, torch::Tensor B) {
    auto C = torch::empty(A.sizes(), A.options().dtype(torch::kDouble));
    AT_DISPATCH_FLOATING_TYPES(A.scalar_type(), "cast_sum", [&] {
        using a_t = scalar_t;
        AT_DISPATCH_FLOATING_TYPES(B.scalar_type(), "cast_sum", [&] {
            cast_sum_kernel<a_t, scalar_t><<<1, A.numel()>>>(A.data_ptr<a_t>(), B.data_ptr<scalar_t>(), C.data_ptr<double>());
        });
    });
    return C;
}
