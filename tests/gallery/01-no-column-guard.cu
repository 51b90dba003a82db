// The guard checks only the row, so threads past the last column access the next row.
// task: row_scaling_by_grid
// refused by: emulator
// hazards: out-of-bounds
// says: a kernel wrote (one element|elements) past the end .* or leave out a dimension.* line 16 .* reads past the end of B
// first attempt: 01 2-D grid, yes
#include <course/checks.h>

constexpr int kColumns = 32;  // threads of a block along a row: one warp
constexpr int kRows = 8;      // rows of a block

__global__ void scale_rows_kernel(const float* A, const float* B, float* C, int64_t M, int64_t N) {
    const int64_t j = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;  // column of B and C
    const int64_t i = static_cast<int64_t>(blockIdx.y) * blockDim.y + threadIdx.y;  // row of B and C
    if (i < M) {
        C[i * N + j] = A[i] * B[i * N + j];
    }
}

torch::Tensor scale_rows(torch::Tensor A, torch::Tensor B) {
    torch::Tensor C = torch::empty_like(B);
    const int64_t M = B.size(0), N = B.size(1);
    if (B.numel() == 0) return C;
    const dim3 threads(kColumns, kRows);
    const dim3 blocks(course::cdiv(N, kColumns), course::cdiv(M, kRows));
    scale_rows_kernel<<<blocks, threads>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N);
    return C;
}
