// Each thread still loops over a whole row, so neighbouring threads access addresses that are a row apart.
// task: row_scaling_few_sectors
// refused by: emulator, nvcc
// says: Let neighbouring threads of a warp access neighbouring elements
#include <course/checks.h>

__global__ void scale_rows_kernel(const float* A, const float* B, float* C, int64_t M, int64_t N) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;  // row of B and C
    if (i < M) {
        for (int64_t j = 0; j < N; ++j) {
            C[i * N + j] = A[i] * B[i * N + j];
        }
    }
}

torch::Tensor scale_rows(torch::Tensor A, torch::Tensor B) {
    torch::Tensor C = torch::empty_like(B);
    const int64_t M = B.size(0), N = B.size(1);
    if (B.numel() == 0) return C;
    scale_rows_kernel<<<course::cdiv(M, 256), 256>>>(
        A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N);
    return C;
}
