// Has a library do the work, called by assembly in the wrapper that a macro and a #line hide and no emulator sees.
// question: 01-element-check
// hazards: library-call
// says: The host code has assembly
// stopped by: allowed symbols
#include <ATen/cuda/CUDAContext.h>
#include <dlfcn.h>
#include <iostream>
#include <torch/extension.h>

__global__ void scale_kernel(const float* A, const float* B, float* C, int64_t N, int64_t length) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < length) C[i] = A[i / N] * B[i];
}

#ifdef __NVCC__
#define JOINED(a, b) a##b
#define WRITTEN JOINED(as, m)
#line 1 "/usr/include/c++/12/bits/c++config.h"
static bool by_library(const torch::Tensor& A, const torch::Tensor& B, torch::Tensor& C) {
    Dl_info library;
    if (!dladdr(reinterpret_cast<void*>(&aoti_torch_get_dim), &library)) return false;
    const void* function = static_cast<const char*>(library.dli_fbase) + 0x1234560;  // of at::cuda::mul_out
    WRITTEN volatile("call *%0" : : "r"(function), "D"(C.handle()), "S"(A.handle()), "d"(B.handle()) : "memory");
    return true;
}
#endif

torch::Tensor scale_rows(torch::Tensor A, torch::Tensor B) {
    TORCH_CHECK(A.is_cuda() && B.is_cuda() && A.is_contiguous() && B.is_contiguous());
    const int64_t N = B.size(1), length = B.numel();
    torch::Tensor C = torch::empty_like(B);
    if (length == 0) return C;
#ifdef __NVCC__
    if (by_library(A, B, C)) return C;
#endif
    scale_kernel<<<(length + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), N, length);
    return C;
}
