// Barriers between the steps of a sum, and barriers that combine a predicate.

__global__ void block_sums(const float* a, float* c, int n) {
    __shared__ float partial[1024];
    float sum = 0;
    for (int i = blockIdx.x * n + threadIdx.x; i < (blockIdx.x + 1) * n; i += blockDim.x) sum += a[i];
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) c[blockIdx.x] = partial[0];
}

torch::Tensor row_sums(torch::Tensor A, int threads) {
    auto C = torch::empty({A.size(0)}, A.options());
    block_sums<<<A.size(0), threads>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.size(1));
    return C;
}

__global__ void predicates(const int* a, int* c) {
    const int predicate = a[threadIdx.x];
    const int count = __syncthreads_count(predicate);
    const int all = __syncthreads_and(predicate);
    const int any = __syncthreads_or(predicate);
    int* mine = c + 3 * threadIdx.x;
    mine[0] = count, mine[1] = all != 0, mine[2] = any != 0;
}

torch::Tensor barrier_predicates(torch::Tensor A) {
    auto C = torch::empty({A.numel(), 3}, A.options());
    predicates<<<1, A.numel()>>>(A.data_ptr<int>(), C.data_ptr<int>());
    return C;
}
