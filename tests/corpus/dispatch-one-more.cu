// bfloat16 beside the floating types.
// call: rounded(x.bfloat16())
// gives: x.bfloat16()
#include <torch/extension.h>

template <typename scalar_t>
__global__ void rounded_kernel(const scalar_t* A, scalar_t* C, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) C[i] = scalar_t(float(A[i]));
}

torch::Tensor rounded(torch::Tensor A) {
    auto C = torch::empty_like(A);
    AT_DISPATCH_FLOATING_TYPES_AND(torch::kBFloat16, A.scalar_type(), "rounded", [&] {
        rounded_kernel<<<(A.numel() + 255) / 256, 256>>>(A.data_ptr<scalar_t>(), C.data_ptr<scalar_t>(), (int)A.numel());
    });
    return C;
}
