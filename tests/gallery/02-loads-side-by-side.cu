// Each thread computes four neighbouring elements, but neighbouring threads begin only one element apart.
// task: scalar_multiply
// says: they stored only [\d,]+ different elements: .* at which element does a thread begin, and what is its step
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

constexpr int kThreads = 256;
constexpr int kLoads = 4;

__global__ void scale_kernel(const float* A, float s, float* C, int64_t n) {
    int64_t first = static_cast<int64_t>(blockIdx.x) * (kThreads * kLoads) + threadIdx.x;
    float a[kLoads];
    for (int k = 0; k < kLoads; ++k) {
        if (first + k < n) a[k] = A[first + k];
    }
    for (int k = 0; k < kLoads; ++k) {
        if (first + k < n) C[first + k] = a[k] * s;
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
