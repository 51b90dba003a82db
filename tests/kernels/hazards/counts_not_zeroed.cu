// Shared counters are never set to 0.
// size: 1
// hazard: uninitialised-read
// where: counted 0
// says: counts where nothing was written before

__global__ void count_threads(int* c) {
    __shared__ int counts[8];
    atomicAdd(counts + threadIdx.x % 8, 1);  // counted
    __syncthreads();
    if (threadIdx.x < 8) c[threadIdx.x] = counts[threadIdx.x];
}

torch::Tensor counts_not_zeroed(torch::Tensor A) {
    auto C = torch::empty({8}, A.options().dtype(torch::kInt32));
    count_threads<<<1, 64>>>(C.data_ptr<int>());
    return C;
}
