// Kernels hand values on in variables, and tell the host in a counter and in pinned memory how many there were.
// task: vector_add
#include <torch/extension.h>
#include <cstdio>
#define HD __host__ __device__
HD inline float plus(float a, float b) { return a + b; }
__device__ float scratch[1 << 20];
__device__ unsigned long long done;
__device__ int table[3] = {1, 2, 3};
static unsigned long long seen[2];
__global__ void first(const float* a, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) scratch[i] = a[i];
    if (i == 0 && table[1] != 2) __trap();
}
__global__ void second(const float* b, float* c, int64_t n, int* flag) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) { c[i] = plus(scratch[i], b[i]); atomicAdd(&done, 1ull); }
    if (i == 0) { printf("n is %d\n", int(n)); *flag = 1; }
}
torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    torch::Tensor C = torch::empty_like(A);
    int* flag;
    TORCH_CHECK(cudaMallocHost(&flag, 4) == cudaSuccess);
    *flag = 0;
    for (int64_t at = 0; at < A.numel(); at += 1 << 20) {
        const int64_t n = std::min<int64_t>(1 << 20, A.numel() - at), blocks = (n + 255) / 256;
        const unsigned long long zero = 0;
        cudaMemcpyToSymbol(done, &zero, sizeof zero);
        first<<<blocks, 256>>>(A.data_ptr<float>() + at, n);
        second<<<blocks, 256>>>(B.data_ptr<float>() + at, C.data_ptr<float>() + at, n, flag);
        cudaMemcpyFromSymbol(seen, done, sizeof zero);
        TORCH_CHECK(seen[0] == (unsigned long long)n, "lost ", seen[0]);
        TORCH_CHECK(*flag == 1);
    }
    cudaFreeHost(flag);
    return C;
}
