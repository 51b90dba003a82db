// The sum is declared but never set to 0.
// task: transposed_matmul
// says: sum has no value when line \d+ \(.?sum \+= .*.?\) first adds to it
#include <course/checks.h>

__global__ void transposed_matmul_kernel(
    const float* A, const float* B, float* C, int64_t M, int64_t N, int64_t K) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;  // row of C
    const int64_t j = static_cast<int64_t>(blockIdx.y) * blockDim.y + threadIdx.y;  // column of C
    if (i < M && j < N) {
        float sum;
        for (int64_t k = 0; k < K; ++k) {
            sum += A[k * M + i] * B[j * K + k];
        }
        C[i * N + j] = sum;
    }
}

torch::Tensor transposed_matmul(torch::Tensor A, torch::Tensor B) {
    const int64_t K = A.size(0), M = A.size(1), N = B.size(0);
    torch::Tensor C = torch::empty({M, N}, A.options());
    if (C.numel() == 0) return C;
    const dim3 threads(32, 8);
    const dim3 blocks(course::cdiv(M, 32), course::cdiv(N, 8));
    transposed_matmul_kernel<<<blocks, threads>>>(
        A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N, K);
    return C;
}
