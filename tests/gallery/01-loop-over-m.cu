// Each row has one thread, but its loop ends after M elements instead of N.
// task: row_scaling
// refused by: emulator, nvcc
// hazards: out-of-bounds
// says: Every column from column 3 on was never written: rows and columns are exchanged, in the grid or in a loop
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void scale_kernel(const float* A, const float* B, float* C, int M, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;  // row
    if (i < M) {
        for (int j = 0; j < M; j++) {
            C[i * N + j] = A[i] * B[i * N + j];
        }
    }
}

torch::Tensor scale_rows(torch::Tensor A, torch::Tensor B) {
    auto C = torch::empty_like(B);
    int M = B.size(0), N = B.size(1);
    if (M * N == 0) return C;
    scale_kernel<<<(M + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N);
    return C;
}
