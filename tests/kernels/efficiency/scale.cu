// A * s; a test replaces the comment LAUNCHES with launches.
#include <torch/extension.h>

__global__ void scale_kernel(const float* A, float s, float* C, int64_t n) {
    const int64_t e = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (e < n) C[e] = A[e] * s;
}
__global__ void four_kernel(const float* A, float s, float* C, int64_t n) {
    const int64_t first = 4 * (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x);
    for (int64_t e = first; e < first + 4 && e < n; ++e) {
        C[e] = A[e] * s;  // four
    }
}
__global__ void copy_kernel(const float* A, float* C, int64_t n) {
    const int64_t e = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (e < n) C[e] = A[e];
}

torch::Tensor scale(torch::Tensor A, double s) {
    torch::Tensor C = torch::empty_like(A);
    const int64_t n = A.numel();
    const float* a = A.data_ptr<float>();
    float* c = C.data_ptr<float>();
    // LAUNCHES
    return C;
}
