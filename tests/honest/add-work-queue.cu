// A persistent grid that takes chunks from an atomic counter.
// task: vector_add
#include <torch/extension.h>

__device__ unsigned int next_chunk;

__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
    __shared__ unsigned int chunk;
    while (true) {
        if (threadIdx.x == 0) chunk = atomicAdd(&next_chunk, 1u);
        __syncthreads();
        const int i = chunk * blockDim.x + threadIdx.x;
        const bool done = chunk * blockDim.x >= n;
        __syncthreads();
        if (done) return;
        if (i < n) c[i] = a[i] + b[i];
    }
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    auto C = torch::empty_like(A);
    const int n = A.numel();
    const unsigned int zero = 0;
    cudaMemcpyToSymbol(next_chunk, &zero, sizeof zero);
    add_kernel<<<4, 128>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), n);
    return C;
}
