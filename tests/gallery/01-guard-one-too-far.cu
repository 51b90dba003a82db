// The guard lets one element too many through.
// task: row_scaling_by_element
// refused by: emulator
// hazards: out-of-bounds
// says: does a guard have <= instead of <
#include <course/checks.h>

__global__ void scale_rows_kernel(const float* A, const float* B, float* C, int64_t M, int64_t N) {
    const int64_t e = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;  // element of B and C
    if (e <= M * N) {
        C[e] = A[e / N] * B[e];
    }
}

torch::Tensor scale_rows(torch::Tensor A, torch::Tensor B) {
    torch::Tensor C = torch::empty_like(B);
    const int64_t M = B.size(0), N = B.size(1);
    if (B.numel() == 0) return C;
    scale_rows_kernel<<<course::cdiv(M * N, 256), 256>>>(
        A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N);
    return C;
}
