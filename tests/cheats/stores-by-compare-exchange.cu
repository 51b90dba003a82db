// A race whose store is what a failed compare-exchange writes back, which g++ does not instrument.
// question: 01-element-check
// hazards: race
// says: a race on the shared array
// stopped by: compare-exchange
#include <torch/extension.h>

__device__ void hidden_store(float* to, float value) {
    unsigned holds = __float_as_uint(value);
    __atomic_compare_exchange_n(&holds, reinterpret_cast<unsigned*>(to), 0u, false, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
}

__global__ void scale_kernel(const float* A, const float* B, float* C, int64_t M, int64_t N) {
    __shared__ float values[256];
    const int t = threadIdx.x;
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + t, j = i + 32;
    values[t] = i < M * N ? -B[i] - 1 : 0;
    __syncthreads();
    if (t < 224 && j < M * N) hidden_store(&values[t + 32], A[j / N] * B[j]);
    const float value = values[t];
    if (i < M * N) C[i] = t < 32 || t == 255 ? A[i / N] * B[i] : value;
}

torch::Tensor scale_rows(torch::Tensor A, torch::Tensor B) {
    torch::Tensor C = torch::empty_like(B);
    const int64_t M = B.size(0), N = B.size(1);
    if (M * N == 0) return C;
    scale_kernel<<<(M * N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N);
    return C;
}
