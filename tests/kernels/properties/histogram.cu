// A histogram by atomics, in shared memory first.

__global__ void histogram(const int* a, int* counts, int n, int bins) {
    extern __shared__ int local[];
    for (int b = threadIdx.x; b < bins; b += blockDim.x) local[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[a[i]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < bins; b += blockDim.x) atomicAdd(&counts[b], local[b]);
}

torch::Tensor counted(torch::Tensor A, int bins, int blocks, int threads) {
    auto C = torch::zeros({bins}, A.options());
    histogram<<<blocks, threads, bins * sizeof(int)>>>(A.data_ptr<int>(), C.data_ptr<int>(), A.numel(), bins);
    return C;
}
