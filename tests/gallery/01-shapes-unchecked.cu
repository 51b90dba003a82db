// The wrapper accepts a vector and a matrix whose sizes do not match.
// task: row_scaling_checked
// refused by: emulator, nvcc
// says: must refuse them: check every input's dim\(\) and size\(\)
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void scale_kernel(const float* A, const float* B, float* C, int M, int N) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < M * N) {
        C[e] = A[e / N] * B[e];
    }
}

torch::Tensor scale_rows(torch::Tensor A, torch::Tensor B) {
    TORCH_CHECK(A.is_cuda() && B.is_cuda(), "A and B must be on the GPU");
    TORCH_CHECK(A.is_contiguous() && B.is_contiguous(), "A and B must be contiguous");
    auto C = torch::empty(B.sizes(), B.options());
    int M = B.size(0), N = B.size(1);
    if (M * N == 0) return C;
    scale_kernel<<<(M * N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N);
    return C;
}
