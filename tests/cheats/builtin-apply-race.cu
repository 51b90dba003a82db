// Threads read what another warp stored, without a barrier; __builtin_apply hides it.
// question: 00-add-check
// says: '__builtin_apply' may hide what a kernel does to memory
// stopped by: traceable source
#include <torch/extension.h>

struct Words {
    float first, others[7];
};

__device__ void take(float* to, Words words) { *to = words.first; }

__device__ float fetch(const float* from) {
    float value;
    const void* block[32];
    for (const void*& each : block) each = &value;  // the registers, one of which is `to`
    block[0] = from;                                // the arguments on the stack
    __builtin_apply(reinterpret_cast<void (*)(...)>(take), block, sizeof(Words));
    return value;
}

__global__ void add_kernel(const float* A, const float* B, float* C, int64_t N) {
    __shared__ float sums[256 + 8];
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= N) return;
    sums[threadIdx.x] = A[i] + B[i];
    if (threadIdx.x >= 32) C[i - 32] = fetch(&sums[threadIdx.x - 32]);
    if (threadIdx.x >= 224 || i >= N - 32) C[i] = sums[threadIdx.x];
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    torch::Tensor C = torch::empty_like(A);
    const int64_t N = A.numel();
    if (N)
        add_kernel<<<(N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(),
                                             N);
    return C;
}
