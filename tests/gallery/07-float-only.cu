// The wrapper requests a pointer to floats for a matrix of any type.
// task: scalar_multiply_types
// says: expected scalar type Float but found (Half|Double)
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void scale_kernel(const float* A, float s, float* C, int64_t n) {
    int64_t e = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (e < n) {
        C[e] = A[e] * s;
    }
}

torch::Tensor scale(torch::Tensor A, double s) {
    TORCH_CHECK(A.is_cuda() && A.is_contiguous(), "A must be a contiguous tensor on the GPU");
    auto C = torch::empty_like(A);
    int64_t n = A.numel();
    if (n == 0) return C;
    scale_kernel<<<(n + 255) / 256, 256>>>(A.data_ptr<float>(), s, C.data_ptr<float>(), n);
    return C;
}
