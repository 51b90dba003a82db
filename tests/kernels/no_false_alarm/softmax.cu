// Two reductions over a block, one after the other, in the same shared memory.
// softmax: rows(A, 3).softmax(1)

template <typename Op>
__device__ float over_block(float x, float* shared, Op op) {
    shared[threadIdx.x] = x;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) shared[threadIdx.x] = op(shared[threadIdx.x], shared[threadIdx.x + half]);
    }
    __syncthreads();
    const float result = shared[0];
    __syncthreads();  // the next reduction must not overwrite what a slower thread still reads
    return result;
}
__global__ void softmax_of_a_row(const float* a, float* c, int columns) {
    __shared__ float shared[32];
    a += blockIdx.x * columns, c += blockIdx.x * columns;
    float most = -INFINITY, sum = 0;
    for (int j = threadIdx.x; j < columns; j += blockDim.x) most = fmaxf(most, a[j]);
    most = over_block(most, shared, [](float x, float y) { return fmaxf(x, y); });
    for (int j = threadIdx.x; j < columns; j += blockDim.x) sum += expf(a[j] - most);
    sum = over_block(sum, shared, [](float x, float y) { return x + y; });
    for (int j = threadIdx.x; j < columns; j += blockDim.x) c[j] = expf(a[j] - most) / sum;
}
torch::Tensor softmax(torch::Tensor A) {
    auto C = torch::empty({3, A.numel() / 3}, A.options());
    softmax_of_a_row<<<3, 32>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel() / 3);
    return C;
}
