// A slow kernel whose loads the tracer does not count: it copies with the tracer's own function, by another name.
// question: 03-along-i-sectors-check
// says: 'weakref' may hide what a kernel does to memory
// stopped by: traceable source
#include <torch/extension.h>

static void fetch(void* to, const void* from, size_t bytes)
    __attribute__((weakref("_ZN8emulator13copy_untracedEPvPKvm")));

__global__ void matmul_kernel(const float* A, const float* B, float* C, int64_t M, int64_t N, int64_t K) {
    const int64_t j = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x, i = blockIdx.y;
    if (j < N) {
        float sum = 0;
        for (int64_t k = 0; k < K; k++) {
            float b;
            fetch(&b, &B[j * K + k], sizeof b);
            sum += A[k * M + i] * b;
        }
        C[i * N + j] = sum;
    }
}

torch::Tensor transposed_matmul(torch::Tensor A, torch::Tensor B) {
    const int64_t K = A.size(0), M = A.size(1), N = B.size(0);
    torch::Tensor C = torch::empty({M, N}, A.options());
    if (C.numel() == 0) return C;
    matmul_kernel<<<dim3((N + 127) / 128, M), 128>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M,
                                                     N, K);
    return C;
}
