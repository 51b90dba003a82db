// C's assert is given a message, which only Python's assert accepts.
// task: row_scaling
// refused by: emulator, nvcc
// says: assert takes one argument and no message; TORCH_CHECK
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

#include <cassert>

__global__ void scale_kernel(const float* A, const float* B, float* C, int M, int N) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < M * N) {
        C[e] = A[e / N] * B[e];
    }
}

torch::Tensor scale_rows(torch::Tensor A, torch::Tensor B) {
    assert(A.size(0) == B.size(0), "A must have an element for each row of B");
    auto C = torch::empty_like(B);
    int M = B.size(0), N = B.size(1);
    if (M * N == 0) return C;
    scale_kernel<<<(M * N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N);
    return C;
}
