// A dispatch over four types, and PyTorch's own type to compute in.
// task: scalar_multiply_types
#include <torch/extension.h>
#include <ATen/OpMathType.h>

template <typename scalar_t>
__global__ void multiply_kernel(const scalar_t* A, scalar_t* C, at::opmath_type<scalar_t> s, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) C[i] = static_cast<scalar_t>(static_cast<at::opmath_type<scalar_t>>(A[i]) * s);
}

torch::Tensor multiply(torch::Tensor A, double s) {
    TORCH_CHECK(A.is_cuda() && A.is_non_overlapping_and_dense() && A.is_contiguous(), "A must be a dense CUDA tensor");
    auto C = torch::empty_like(A);
    const int64_t n = A.numel();
    if (n == 0) return C;
    AT_DISPATCH_FLOATING_TYPES_AND2(torch::kHalf, torch::kBFloat16, A.scalar_type(), "multiply", [&] {
        multiply_kernel<<<(n + 255) / 256, 256>>>(A.data_ptr<scalar_t>(), C.data_ptr<scalar_t>(),
                                                  static_cast<at::opmath_type<scalar_t>>(s), n);
    });
    return C;
}
