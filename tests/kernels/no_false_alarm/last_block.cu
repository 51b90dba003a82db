// Threadfence reduction: the block that finishes last adds the partial sums of all blocks.
// last_block: A.sum()

__device__ unsigned int blocks_done = 0;
__global__ void last_block_adds(const float* a, float* parts, float* c, int n) {
    __shared__ bool last;
    __shared__ float sums[64];
    const int i = blockIdx.x * 64 + threadIdx.x;
    sums[threadIdx.x] = i < n ? a[i] : 0.0f;
    __syncthreads();
    if (threadIdx.x == 0) {
        float sum = 0;
        for (int j = 0; j < 64; ++j) sum += sums[j];
        parts[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float sum = 0;
        for (int j = 0; j < gridDim.x; ++j) sum += parts[j];
        *c = sum;
    }
}
torch::Tensor last_block(torch::Tensor A) {
    const int64_t blocks = (A.numel() + 63) / 64;
    auto C = torch::empty({1}, A.options()), parts = torch::empty({blocks}, A.options());
    last_block_adds<<<blocks, 64>>>(A.data_ptr<float>(), parts.data_ptr<float>(), C.data_ptr<float>(),
                                    A.numel());
    return C;
}
