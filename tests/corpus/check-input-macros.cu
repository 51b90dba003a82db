// CHECK_INPUT, as PyTorch's tutorial writes it.
// call: checked_copy(A)
// gives: A
// call: checked_copy(host(A))
// raises: RuntimeError: A must be a CUDA tensor
// call: checked_copy(A.t())
// raises: RuntimeError: A must be contiguous
#include <torch/extension.h>

#define CHECK_CUDA(x) TORCH_CHECK(x.device().is_cuda(), #x " must be a CUDA tensor")
#define CHECK_CONTIGUOUS(x) TORCH_CHECK(x.is_contiguous(), #x " must be contiguous")
#define CHECK_INPUT(x) \
    CHECK_CUDA(x);     \
    CHECK_CONTIGUOUS(x)

__global__ void checked_copy_kernel(const float* A, float* C) { C[threadIdx.x] = A[threadIdx.x]; }

torch::Tensor checked_copy(torch::Tensor A) {
    CHECK_INPUT(A);
    auto C = torch::empty_like(A);
    checked_copy_kernel<<<1, A.numel()>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
