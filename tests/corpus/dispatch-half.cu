// Half is dispatched too, and computed in float.
// call: leaky(x.half())
// gives: torch.where(x < 0, x * 0.25, x).half()
// call: leaky(x.double())
// gives: torch.where(x < 0, x * 0.25, x).double()
#include <torch/extension.h>

template <typename scalar_t>
__global__ void leaky_kernel(const scalar_t* A, scalar_t* C, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = static_cast<float>(A[i]);
    C[i] = static_cast<scalar_t>(a < 0 ? 0.25f * a : a);
}

torch::Tensor leaky(torch::Tensor A) {
    auto C = torch::empty_like(A);
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(A.scalar_type(), "leaky", [&] {
        leaky_kernel<scalar_t><<<(A.numel() + 255) / 256, 256>>>(A.data_ptr<scalar_t>(), C.data_ptr<scalar_t>(),
                                                                  A.numel());
    });
    return C;
}
