// The kernel is a template; float and double are dispatched.
// call: cubed(x[:300])
// gives: x[:300] * x[:300] * x[:300]
// call: cubed(x.double())
// gives: x.double() ** 3
// call: cubed(I)
// raises: NotImplementedError: "cubed" not implemented for 'Long'
// call: cubed(x.half())
// raises: NotImplementedError: "cubed" not implemented for 'Half'
#include <torch/extension.h>

template <typename scalar_t>
__global__ void cubed_kernel(const scalar_t* __restrict__ A, scalar_t* __restrict__ C, size_t n) {
    const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) C[i] = A[i] * A[i] * A[i];
}

torch::Tensor cubed(torch::Tensor A) {
    auto C = torch::empty_like(A);
    const int threads = 256;
    const int blocks = (A.numel() + threads - 1) / threads;
    AT_DISPATCH_FLOATING_TYPES(A.scalar_type(), "cubed", ([&] {
        cubed_kernel<scalar_t><<<blocks, threads>>>(A.data_ptr<scalar_t>(), C.data_ptr<scalar_t>(), A.numel());
    }));
    return C;
}
