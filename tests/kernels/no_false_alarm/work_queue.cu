// The blocks take their work from a counter.
// work_queue: 2 * A

__global__ void take_work(const float* a, float* c, int* next, int n) {
    __shared__ int from;
    while (true) {
        if (threadIdx.x == 0) from = atomicAdd(next, 32);
        __syncthreads();
        const int i = from + threadIdx.x;
        __syncthreads();
        if (i - threadIdx.x >= n) return;
        if (i < n) c[i] = 2 * a[i];
    }
}
torch::Tensor work_queue(torch::Tensor A) {
    auto C = torch::empty_like(A);
    auto next = torch::zeros({1}, A.options().dtype(torch::kInt32));
    take_work<<<2, 32>>>(A.data_ptr<float>(), C.data_ptr<float>(), next.data_ptr<int>(), A.numel());
    return C;
}
