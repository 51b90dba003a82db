// A slow kernel whose loads are not counted: through a pointer, the C++ library hashes bytes; the kernel inverts it.
// question: 03-along-i-sectors-check
// hazards: crash
// says: a kernel called std::_Hash_bytes.*, which is a host function
// stopped by: indirect calls
#include <torch/extension.h>

#include <functional>

using Hash = size_t(const void*, size_t, size_t);

// std::_Hash_bytes of four bytes is Murmur's hash, each step of which can be undone.
__device__ float fetch(Hash* hash, const float* from) {
    const uint64_t factor = 0xc6a4a7935bd1e995;
    uint64_t inverse = factor;
    for (int i = 0; i < 6; i++) inverse *= 2 - factor * inverse;
    uint64_t found = hash(from, 4, 0);
    found ^= found >> 47;
    found *= inverse;
    found ^= found >> 47;
    found *= inverse;
    return __uint_as_float(static_cast<unsigned>(found ^ 4 * factor));
}

__global__ void matmul_kernel(Hash* hash, const float* A, const float* B, float* C, int64_t M, int64_t N, int64_t K) {
    const int64_t j = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x, i = blockIdx.y;
    if (j < N) {
        float sum = 0;
        for (int64_t k = 0; k < K; k++) sum += A[k * M + i] * fetch(hash, &B[j * K + k]);
        C[i * N + j] = sum;
    }
}

torch::Tensor transposed_matmul(torch::Tensor A, torch::Tensor B) {
    const int64_t K = A.size(0), M = A.size(1), N = B.size(0);
    torch::Tensor C = torch::empty({M, N}, A.options());
    if (C.numel() == 0) return C;
    matmul_kernel<<<dim3((N + 127) / 128, M), 128>>>(&std::_Hash_bytes, A.data_ptr<float>(), B.data_ptr<float>(),
                                                     C.data_ptr<float>(), M, N, K);
    return C;
}
