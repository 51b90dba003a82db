// The kernel is written but never launched.
// task: vector_add
// hazards: library-call
// says: (No kernel was launched: the values are|No element of the output was ever written: is the kernel launched)
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void add_kernel(const float* A, const float* B, float* C, int64_t N) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < N) {
        C[i] = A[i] + B[i];
    }
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    torch::Tensor C = torch::empty_like(A);
    const int64_t N = A.numel();
    if (N == 0) return C;
    return C;
}
