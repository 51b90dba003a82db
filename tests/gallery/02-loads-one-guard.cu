// Each thread computes four elements, but the guard checks only the first of the four.
// task: scalar_multiply
// refused by: emulator
// hazards: out-of-bounds
// says: a kernel wrote elements past the end of the new tensor .* is the guard missing
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

constexpr int kThreads = 256;
constexpr int kLoads = 4;

__global__ void scale_kernel(const float* A, float s, float* C, int64_t n) {
    int64_t first = static_cast<int64_t>(blockIdx.x) * (kThreads * kLoads) + threadIdx.x;
    float a[kLoads];
    if (first < n) {
        for (int k = 0; k < kLoads; ++k) a[k] = A[first + k * kThreads];
        for (int k = 0; k < kLoads; ++k) C[first + k * kThreads] = a[k] * s;
    }
}

torch::Tensor scale(torch::Tensor A, double s) {
    auto C = torch::empty_like(A);
    int64_t n = A.numel();
    if (n == 0) return C;
    scale_kernel<<<(n + kThreads * kLoads - 1) / (kThreads * kLoads), kThreads>>>(A.data_ptr<float>(), s,
                                                                                   C.data_ptr<float>(), n);
    return C;
}
