// The kernel adds A[row] instead of multiplying by it.
// task: row_scaling
// says: added instead of multiplied
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void scale_kernel(const float* A, const float* B, float* C, int M, int N) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < M * N) {
        C[e] = A[e / N] + B[e];
    }
}

torch::Tensor scale_rows(torch::Tensor A, torch::Tensor B) {
    auto C = torch::empty_like(B);
    int M = B.size(0), N = B.size(1);
    if (M * N == 0) return C;
    scale_kernel<<<(M * N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N);
    return C;
}
