// Kernel and helpers in an unnamed namespace, constants, a function for host and device.
// call: hinge(A)
// gives: (1 - A).clamp(min=0)
#include <torch/extension.h>

namespace {

constexpr int kThreads = 64;
__constant__ float margin = 1.0f;

__host__ __device__ __forceinline__ int blocks_for(int n, int threads) { return (n + threads - 1) / threads; }

template <typename T>
__device__ T positive(T value) {
    return value > T(0) ? value : T(0);
}

__global__ void __launch_bounds__(kThreads) hinge_kernel(const float* __restrict__ A, float* __restrict__ C, int n) {
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (i < n) C[i] = positive(margin - A[i]);
}

}  // namespace

torch::Tensor hinge(torch::Tensor A) {
    auto C = torch::empty_like(A);
    hinge_kernel<<<blocks_for(A.numel(), kThreads), kThreads>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
