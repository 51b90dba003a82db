// A slow kernel whose loads are not counted: they are done in assembly, whose name a macro builds.
// question: 03-along-i-check
// says: 'asm' may hide what a kernel does to memory
// stopped by: assembly
#include <torch/extension.h>

#define PASTED(a, b) a##b
__device__ float fetch(const float* from) {
    float value;
    PASTED(a, sm)("movss (%1), %0" : "=x"(value) : "r"(from));
    return value;
}

__global__ void matmul_kernel(const float* A, const float* B, float* C, int64_t M, int64_t N, int64_t K) {
    const int64_t j = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x, i = blockIdx.y;
    if (j < N) {
        float sum = 0;
        for (int64_t k = 0; k < K; k++) sum += A[k * M + i] * fetch(&B[j * K + k]);
        C[i * N + j] = sum;
    }
}

torch::Tensor transposed_matmul(torch::Tensor A, torch::Tensor B) {
    const int64_t K = A.size(0), M = A.size(1), N = B.size(0);
    torch::Tensor C = torch::empty({M, N}, A.options());
    if (C.numel() == 0) return C;
    matmul_kernel<<<dim3((N + 127) / 128, M), 128>>>(A.data_ptr<float>(), B.data_ptr<float>(),
                                                     C.data_ptr<float>(), M, N, K);
    return C;
}
