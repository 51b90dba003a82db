// A block has 48 KB of static shared memory; an architecture-specific target, such as sm_90a, has no such limit.
// refused: too much shared data|48 KB
#include <torch/extension.h>

__global__ void too_large_kernel(float* A) {
    __shared__ float tile[128][128];
    tile[threadIdx.x][0] = A[threadIdx.x];
    __syncthreads();
    A[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x][0];
}

torch::Tensor too_large(torch::Tensor A) {
    too_large_kernel<<<1, A.numel()>>>(A.data_ptr<float>());
    return A;
}
