// Each block waits for the previous block by reading a volatile flag.
// volatile_flags: with_earlier_blocks(A)

__global__ void running_total(const float* a, float* totals, volatile int* ready, float* c, int n) {
    static __shared__ float before;
    const int i = blockIdx.x * 32 + threadIdx.x;
    if (threadIdx.x == 0) {
        before = 0;
        if (blockIdx.x > 0) {
            while (!ready[blockIdx.x - 1]) {
            }
            __threadfence();
            before = totals[blockIdx.x - 1];
        }
        float sum = before;
        for (int j = i; j < min(n, i + 32); ++j) sum += a[j];
        totals[blockIdx.x] = sum;
        __threadfence();
        ready[blockIdx.x] = 1;
    }
    __syncthreads();
    if (i < n) c[i] = a[i] + before;
}
torch::Tensor volatile_flags(torch::Tensor A) {
    const int64_t blocks = (A.numel() + 31) / 32;
    auto C = torch::empty_like(A), totals = torch::empty({blocks}, A.options());
    auto ready = torch::zeros({blocks}, A.options().dtype(torch::kInt32));
    running_total<<<blocks, 32>>>(A.data_ptr<float>(), totals.data_ptr<float>(), ready.data_ptr<int>(),
                                  C.data_ptr<float>(), A.numel());
    return C;
}
