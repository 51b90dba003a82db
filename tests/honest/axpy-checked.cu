// Checks with messages, at::cuda::CUDAGuard, and __fmaf_rn.
// task: axpy
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>

__global__ void axpy_kernel(float s, const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
                            int64_t n) {
    const int64_t i = blockDim.x * int64_t{blockIdx.x} + threadIdx.x;
    if (i < n) C[i] = __fmaf_rn(s, A[i], B[i]);
}

torch::Tensor axpy(double s, const torch::Tensor& A, const torch::Tensor& B) {
    TORCH_CHECK(A.is_cuda() && B.is_cuda(), "A and B must be CUDA tensors, not on ", A.device(), " and ", B.device());
    TORCH_CHECK(A.dtype() == torch::kFloat && B.dtype() == torch::kFloat, "float32 only");
    TORCH_CHECK(A.dim() == 1 && A.sizes() == B.sizes(), "A and B must be vectors of the same length");
    TORCH_CHECK(A.is_contiguous() && B.is_contiguous(), "A and B must be contiguous");
    const at::cuda::CUDAGuard guard(A.device());
    auto C = torch::empty_like(A);
    const int64_t n = A.numel();
    if (n == 0) return C;
    auto stream = at::cuda::getCurrentCUDAStream();
    axpy_kernel<<<(n + 127) / 128, 128, 0, stream>>>(s, A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(),
                                                     n);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return C;
}
