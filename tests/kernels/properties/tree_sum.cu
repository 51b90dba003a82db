// A sum by a tree in shared memory, in two launches.

template <typename T>
__global__ void reduce_tree(const T* a, T* partial, int n) {
    extern __shared__ double shared[];
    T* tile = reinterpret_cast<T*>(shared);
    const unsigned t = threadIdx.x;
    T sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) sum += a[i];
    tile[t] = sum;
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        __syncthreads();
        if (t < s) tile[t] += tile[t + s];
    }
    if (t == 0) partial[blockIdx.x] = tile[0];
}

torch::Tensor tree_sum(torch::Tensor A, int blocks, int threads) {
    auto partial = torch::empty({blocks}, A.options()), total = torch::empty({1}, A.options());
    AT_DISPATCH_ALL_TYPES(A.scalar_type(), "tree_sum", [&] {
        const size_t bytes = threads * sizeof(scalar_t);
        reduce_tree<<<blocks, threads, bytes>>>(A.data_ptr<scalar_t>(), partial.data_ptr<scalar_t>(),
                                                A.numel());
        reduce_tree<<<1, threads, bytes>>>(partial.data_ptr<scalar_t>(), total.data_ptr<scalar_t>(), blocks);
    });
    return total;
}
