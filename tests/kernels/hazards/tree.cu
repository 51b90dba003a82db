// A tree reduction has no barrier between its steps.
// size: 64
// hazard: race
// where: tree 1, tree 0
// says: the shared array sums, .*missing before line {tree} runs

__global__ void sum_by_a_tree(const float* a, float* c) {
    __shared__ float sums[64];
    sums[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];  // tree
    }
    if (threadIdx.x == 0) *c = sums[0];
}

torch::Tensor tree(torch::Tensor A) {
    auto C = torch::empty({1}, A.options());
    sum_by_a_tree<<<1, 64>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
