// Each thread computes four elements, but the last, partial chunk of 1024 elements is left out.
// task: scalar_multiply
// refused by: emulator, nvcc
// hazards: bad-launch
// says: the last, partial block is missing, since the number of blocks was rounded down instead of up
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

constexpr int kThreads = 256;
constexpr int kLoads = 4;

__global__ void scale_kernel(const float* A, float s, float* C, int64_t n) {
    int64_t first = static_cast<int64_t>(blockIdx.x) * (kThreads * kLoads) + threadIdx.x;
    float a[kLoads];
    for (int k = 0; k < kLoads; ++k) {
        if (first + k * kThreads < n) a[k] = A[first + k * kThreads];
    }
    for (int k = 0; k < kLoads; ++k) {
        if (first + k * kThreads < n) C[first + k * kThreads] = a[k] * s;
    }
}

torch::Tensor scale(torch::Tensor A, double s) {
    auto C = torch::empty_like(A);
    int64_t n = A.numel();
    if (n == 0) return C;
    scale_kernel<<<n / (kThreads * kLoads), kThreads>>>(A.data_ptr<float>(), s, C.data_ptr<float>(), n);
    return C;
}
