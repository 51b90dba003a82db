// Shared counters are set to 0 without a barrier before they are used.
// size: 1
// hazard: race
// where: counted-early 8, counts-zeroed 0
// says: missing between line {counts-zeroed} and line {counted-early}

__global__ void count_threads_at_once(int* c) {
    __shared__ int counts[8];
    if (threadIdx.x < 8) counts[threadIdx.x] = 0;  // counts-zeroed
    atomicAdd(counts + threadIdx.x % 8, 1);        // counted-early
    __syncthreads();
    if (threadIdx.x < 8) c[threadIdx.x] = counts[threadIdx.x];
}

torch::Tensor counts_zeroed_late(torch::Tensor A) {
    auto C = torch::empty({8}, A.options().dtype(torch::kInt32));
    count_threads_at_once<<<1, 64>>>(C.data_ptr<int>());
    return C;
}
