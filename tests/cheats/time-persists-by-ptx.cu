// Has the L2 cache keep the input from call to call, by loads in PTX that no emulator sees.
// question: 01-element-check
// hazards: library-call
// says: The answer calls L2::cache_hint
// stopped by: allowed symbols
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__device__ float load(const float* p) {
#ifdef __NVCC__
    float x;
    uint64_t policy;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(x) : "l"(p), "l"(policy));
    return x;
#else
    return *p;
#endif
}

__global__ void scale_kernel(const float* A, const float* B, float* C, int64_t N, int64_t length) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < length) C[i] = A[i / N] * load(B + i);
}

torch::Tensor scale_rows(torch::Tensor A, torch::Tensor B) {
    TORCH_CHECK(A.is_cuda() && B.is_cuda() && A.is_contiguous() && B.is_contiguous());
    const int64_t N = B.size(1), length = B.numel();
    torch::Tensor C = torch::empty_like(B);
    if (length == 0) return C;
    scale_kernel<<<(length + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), N, length);
    return C;
}
