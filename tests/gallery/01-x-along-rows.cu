// x counts the rows of B, so neighbouring threads of a warp read addresses that are a row apart.
// task: row_scaling_by_grid
// refused by: emulator, nvcc
// says: Let neighbouring threads of a warp access neighbouring elements
#include <course/checks.h>

constexpr int kColumns = 32;  // threads of a block in x: one warp
constexpr int kRows = 8;      // and in y

__global__ void scale_rows_kernel(const float* A, const float* B, float* C, int64_t M, int64_t N) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;  // row of B and C
    const int64_t j = static_cast<int64_t>(blockIdx.y) * blockDim.y + threadIdx.y;  // column of B and C
    if (i < M && j < N) {
        C[i * N + j] = A[i] * B[i * N + j];
    }
}

torch::Tensor scale_rows(torch::Tensor A, torch::Tensor B) {
    course::check_inputs({{A, "A"}, {B, "B"}}, torch::kFloat32);
    course::check_dim({B, "B"}, 2);
    course::check_shape({A, "A"}, {B.size(0)});
    torch::Tensor C = torch::empty_like(B);
    const int64_t M = B.size(0), N = B.size(1);
    if (B.numel() == 0) return C;
    const dim3 threads(kColumns, kRows);
    const dim3 blocks(course::cdiv(M, kColumns), course::cdiv(N, kRows));
    scale_rows_kernel<<<blocks, threads>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N);
    return C;
}
