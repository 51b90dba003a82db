// The loop over a row never increases its index.
// task: row_scaling_by_block
// refused by: emulator
// hazards: timeout
// says: ran for more than 10 s: an endless loop
#include <course/checks.h>

constexpr int kThreads = 256;  // threads in a block

__global__ void scale_rows_kernel(const float* A, const float* B, float* C, int64_t M, int64_t N) {
    const int64_t i = blockIdx.x;  // row of B and C
    const float a = A[i];
    for (int64_t j = threadIdx.x; j < N; ) {  // column of B and C
        C[i * N + j] = a * B[i * N + j];
    }
}

torch::Tensor scale_rows(torch::Tensor A, torch::Tensor B) {
    torch::Tensor C = torch::empty_like(B);
    const int64_t M = B.size(0), N = B.size(1);
    if (B.numel() == 0) return C;
    scale_rows_kernel<<<M, kThreads>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N);
    return C;
}
