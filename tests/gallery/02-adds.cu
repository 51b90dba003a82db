// The kernel adds s instead of multiplying by s.
// task: scalar_multiply
// says: The result is A \+ s: added instead of multiplied
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void scale_kernel(const float* A, float s, float* C, int64_t n) {
    int64_t e = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (e < n) {
        C[e] = A[e] + s;
    }
}

torch::Tensor scale(torch::Tensor A, double s) {
    auto C = torch::empty_like(A);
    int64_t n = A.numel();
    if (n == 0) return C;
    scale_kernel<<<(n + 255) / 256, 256>>>(A.data_ptr<float>(), s, C.data_ptr<float>(), n);
    return C;
}
