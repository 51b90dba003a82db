// Atomic operations whose scope is the block, or the system; a flag and a sum of one block in global memory.
// scoped_atomics: torch.stack([A[:64].sum(), A[64:].sum(), A.sum()])

__global__ void sum_by_scopes(const float* a, float* sums, int* flags, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float* own = sums + blockIdx.x;
    if (threadIdx.x == 0) {
        *own = 0;
        __threadfence_block();
        atomicExch_block(flags + blockIdx.x, 1);
    }
    while (*static_cast<volatile int*>(flags + blockIdx.x) == 0) {
    }
    __syncthreads();
    if (i < n) atomicAdd_block(own, a[i]);
    if (i < n) atomicAdd_system(sums + 2, a[i]);
}
torch::Tensor scoped_atomics(torch::Tensor A) {
    auto C = torch::zeros({3}, A.options());
    auto F = torch::zeros({2}, A.options().dtype(torch::kInt));
    sum_by_scopes<<<2, 64>>>(A.data_ptr<float>(), C.data_ptr<float>(), F.data_ptr<int>(), A.numel());
    return C;
}
