// The kernel still has one thread per row, but the question asks for one thread per element.
// task: row_scaling_by_element
// refused by: emulator, nvcc
// says: One thread stored 255 elements, but the question asks for one thread per element
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void scale_rows_kernel(const float* A, const float* B, float* C, int M, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= M) return;
    for (int j = 0; j < N; j++) {
        C[i * N + j] = A[i] * B[i * N + j];
    }
}

torch::Tensor scale_rows(torch::Tensor A, torch::Tensor B) {
    auto C = torch::empty_like(B);
    int M = B.size(0), N = B.size(1);
    if (B.numel() == 0) return C;
    scale_rows_kernel<<<(M + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N);
    return C;
}
