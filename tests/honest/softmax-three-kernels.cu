// Maximum, sum and quotient in three kernels, with temporaries of torch::empty.
// task: softmax
#include <torch/extension.h>

__global__ void row_max(const float* A, float* m, int M, int N) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= M) return;
    float largest = A[(int64_t)i * N];
    for (int j = 1; j < N; ++j) largest = max(largest, A[(int64_t)i * N + j]);
    m[i] = largest;
}
__global__ void row_sum(const float* A, const float* m, float* sums, int M, int N) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= M) return;
    float sum = 0, lost = 0;  // Kahan's sum
    for (int j = 0; j < N; ++j) {
        const float term = expf(A[(int64_t)i * N + j] - m[i]) - lost, next = sum + term;
        lost = (next - sum) - term;
        sum = next;
    }
    sums[i] = sum;
}
__global__ void quotient(const float* A, const float* m, const float* sums, float* C, int64_t count, int N) {
    const int64_t k = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (k < count) C[k] = expf(A[k] - m[k / N]) / sums[k / N];
}

torch::Tensor softmax(torch::Tensor A) {
    TORCH_CHECK(A.is_cuda(), "CUDA tensor expected");
    TORCH_CHECK(A.dtype() == torch::kFloat32, "float32 expected, got ", A.dtype());
    TORCH_CHECK(A.is_contiguous(), "contiguous tensor expected");
    const int M = A.size(0), N = A.size(1);
    auto C = torch::empty_like(A);
    if (M == 0 || N == 0) return C;
    auto m = torch::empty({M}, A.options());
    auto sums = torch::empty({M}, A.options());
    row_max<<<(M + 63) / 64, 64>>>(A.data_ptr<float>(), m.data_ptr<float>(), M, N);
    row_sum<<<(M + 63) / 64, 64>>>(A.data_ptr<float>(), m.data_ptr<float>(), sums.data_ptr<float>(), M, N);
    quotient<<<(A.numel() + 255) / 256, 256>>>(A.data_ptr<float>(), m.data_ptr<float>(), sums.data_ptr<float>(),
                                               C.data_ptr<float>(), A.numel(), N);
    return C;
}
