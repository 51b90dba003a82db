// The number of the row is e * (1 / N), in float.
// task: row_scaling_rounded
// says: Rows begin with the factor of the row before: their number was rounded to 24 bits
#include <course/checks.h>

__global__ void scale_rows_kernel(const float* A, const float* B, float* C, int64_t M, int64_t N) {
    int64_t e = blockIdx.x * 256 + threadIdx.x;
    if (e < M * N) {
        int64_t row = e * (1.0f / N);
        C[e] = A[row] * B[e];
    }
}

torch::Tensor scale_rows(torch::Tensor A, torch::Tensor B) {
    torch::Tensor C = torch::empty_like(B);
    int64_t M = B.size(0), N = B.size(1);
    if (M * N > 0)
        scale_rows_kernel<<<course::cdiv(M * N, 256), 256>>>(A.data_ptr<float>(), B.data_ptr<float>(),
                                                             C.data_ptr<float>(), M, N);
    return C;
}
