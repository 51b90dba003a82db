// The kernel scales columns instead of rows.
// task: row_scaling_by_element
// hazards: out-of-bounds
// says: Each column was scaled by A\[column\] instead of each row by A\[row\]
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void scale_kernel(const float* A, const float* B, float* C, int M, int N) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;  // column
    int i = blockIdx.y * blockDim.y + threadIdx.y;  // row
    if (i < M && j < N) {
        C[i * N + j] = A[j] * B[i * N + j];
    }
}

torch::Tensor scale_rows(torch::Tensor A, torch::Tensor B) {
    auto C = torch::empty_like(B);
    int M = B.size(0), N = B.size(1);
    if (M * N == 0) return C;
    dim3 threads(32, 8);
    dim3 blocks((N + 31) / 32, (M + 7) / 8);
    scale_kernel<<<blocks, threads>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N);
    return C;
}
