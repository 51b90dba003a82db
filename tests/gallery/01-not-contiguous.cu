// The wrapper accepts tensors that are not contiguous, but the kernel reads them as if they were contiguous.
// task: row_scaling_checked
// refused by: emulator, nvcc
// says: must refuse them: check every input's is_contiguous\(\)
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
    TORCH_CHECK(A.dim() == 1 && B.dim() == 2 && A.size(0) == B.size(0), "A must have an element for each row of B");
    auto C = torch::empty(B.sizes(), B.options());
    int M = B.size(0), N = B.size(1);
    if (M * N == 0) return C;
    scale_kernel<<<(M * N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N);
    return C;
}
