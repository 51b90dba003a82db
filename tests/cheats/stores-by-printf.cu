// A race whose store is what printf writes for %n, which nothing instruments.
// question: 01-element-check
// hazards: crash
// says: a kernel's printf stores nothing: remove %n, which a GPU does not support
// stopped by: stores of printf, another order
#include <torch/extension.h>

#include <cstdio>

__global__ void scale_kernel(const float* A, const float* B, float* C, int64_t M, int64_t N) {
    __shared__ int ready[256];
    const int t = threadIdx.x;
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + t, j = i + 32;
    ready[t] = t < 32 || t == 255;
    __syncthreads();
    if (t < 224 && j < M * N) printf(".%n", &ready[t + 32]);
    const int is_ready = ready[t];
    if (i < M * N) C[i] = is_ready ? A[i / N] * B[i] : -B[i] - 1;
}

torch::Tensor scale_rows(torch::Tensor A, torch::Tensor B) {
    torch::Tensor C = torch::empty_like(B);
    const int64_t M = B.size(0), N = B.size(1);
    if (M * N == 0) return C;
    scale_kernel<<<(M * N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N);
    return C;
}
