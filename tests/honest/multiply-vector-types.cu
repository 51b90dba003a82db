// Half, bfloat16, float and double by AT_DISPATCH, in the type that PyTorch computes in.
// task: scalar_multiply_types
#include <torch/extension.h>

template <typename T> struct Wide { using type = T; };
template <> struct Wide<at::Half> { using type = float; };
template <> struct Wide<at::BFloat16> { using type = float; };

template <typename scalar_t>
__global__ void multiply_kernel(const scalar_t* A, scalar_t* C, typename Wide<scalar_t>::type s, int64_t n) {
    const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
    if (i < n) C[i] = static_cast<scalar_t>(static_cast<typename Wide<scalar_t>::type>(A[i]) * s);
}

torch::Tensor scalar_multiply(torch::Tensor A, double s) {
    TORCH_CHECK(A.is_cuda(), "A must be on the GPU");
    TORCH_CHECK(A.is_contiguous(), "A must be contiguous");
    auto C = torch::empty_like(A);
    const int64_t n = A.numel();
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, A.scalar_type(), "scalar_multiply", ([&] {
        if (n > 0) {
            multiply_kernel<scalar_t><<<(n + 255) / 256, 256>>>(
                A.data_ptr<scalar_t>(), C.data_ptr<scalar_t>(), static_cast<typename Wide<scalar_t>::type>(s), n);
        }
    }));
    return C;
}
