// Every numeric type, and the lambda's value.
// call: [maximum(A), maximum(I), maximum(A.to(torch.int16))]
// gives: [A.max().item(), float(I.max()), float(A.to(torch.int16).max())]
// call: maximum(A.half())
// raises: NotImplementedError: "maximum" not implemented for 'Half'
#include <torch/extension.h>

template <typename scalar_t>
__global__ void maximum_kernel(const scalar_t* A, scalar_t* C, int n) {
    scalar_t best = A[0];
    for (int i = 1; i < n; ++i) best = A[i] > best ? A[i] : best;
    *C = best;
}

double maximum(torch::Tensor A) {
    auto C = torch::empty({1}, A.options());
    return AT_DISPATCH_ALL_TYPES(A.scalar_type(), "maximum", [&] {
        maximum_kernel<scalar_t><<<1, 1>>>(A.data_ptr<scalar_t>(), C.data_ptr<scalar_t>(), A.numel());
        return static_cast<double>(C.item<scalar_t>());
    });
}
