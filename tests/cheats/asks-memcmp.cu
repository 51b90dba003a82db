// A slow kernel whose loads the tracer does not count: it has memcmp of the C library look at the bytes.
// question: 03-along-i-check
// hazards: crash
// says: a kernel called memcmp, which is a host function
// stopped by: host functions
#include <torch/extension.h>

#include <cstring>

__device__ float fetch(const float* from) {
    unsigned char bytes[4];
    for (int i = 0; i < 4; i++) {
        int low = 0, high = 255;
        while (low < high) {
            bytes[i] = (low + high) / 2;
            if (memcmp(reinterpret_cast<const unsigned char*>(from) + i, &bytes[i], 1) > 0)
                low = bytes[i] + 1;
            else
                high = bytes[i];
        }
        bytes[i] = low;
    }
    float value;
    memcpy(&value, bytes, 4);
    return value;
}

__global__ void matmul_kernel(const float* A, const float* B, float* C, int64_t M, int64_t N, int64_t K) {
    const int64_t j = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x, i = blockIdx.y;
    if (j < N) {
        float sum = 0;
        for (int64_t k = 0; k < K; k++) {
            sum += A[k * M + i] * fetch(&B[j * K + k]);
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
