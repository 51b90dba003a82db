// A copy of the matrices in memory that the kernel allocates is read as badly as one likes.
// question: 04-tile-of-b-sectors-check
// says: sectors
// stopped by: budget
#include <torch/extension.h>
__device__ float* scratch;
__global__ void k(const float* A, const float* B, float* C, int M, int N, int K) {
    const int t = threadIdx.x;
    if (t == 0)
        scratch = static_cast<float*>(
            malloc(sizeof(float) * (static_cast<size_t>(M) * K + static_cast<size_t>(N) * K)));
    __syncthreads();
    float* a = scratch;
    float* b = a + static_cast<size_t>(M) * K;
    for (int i = t; i < M * K; i += blockDim.x) a[i] = A[i];
    for (int i = t; i < N * K; i += blockDim.x) b[i] = B[i];
    __syncthreads();
    for (int i = t; i < M * N; i += blockDim.x) {
        float s = 0;
        for (int l = 0; l < K; ++l)
            s += a[l * M + i / N] * b[i % N * K + l];  // "uncoalesced global memory", for nothing
        C[i] = s;
    }
}
torch::Tensor padded_32(torch::Tensor A, torch::Tensor B) {
    auto C = torch::empty({A.size(1), B.size(0)}, A.options());
    if (C.numel())
        k<<<1, 1024>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), A.size(1), B.size(0),
                       A.size(0));
    return C;
}
