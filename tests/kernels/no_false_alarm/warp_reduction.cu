// A sum by warp shuffles, then by one warp over the warps' sums, then by an atomic addition per block.
// warp_reduction: A.sum()
#include "shared.cuh"

__global__ void block_sums(const float* __restrict__ a, float* c, int n) {
    __shared__ float sums[kWarp];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += __ldg(a + i);
    sum = warp_sum(sum);
    if (threadIdx.x % kWarp == 0) sums[threadIdx.x / kWarp] = sum;
    __syncthreads();
    if (threadIdx.x < kWarp) {
        sum = warp_sum(threadIdx.x < blockDim.x / kWarp ? sums[threadIdx.x] : 0.0f);
        if (threadIdx.x == 0) atomicAdd(c, sum);
    }
}
torch::Tensor warp_reduction(torch::Tensor A) {
    auto C = torch::zeros({1}, A.options());
    block_sums<<<3, 128>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
