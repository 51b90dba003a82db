// A thread that finds a negative number ends the search of its block; all threads leave in the same round.
// search: min([i for i, x in enumerate(A.tolist()) if x < 0], default=A.numel())

__global__ void first_negative(const float* a, int* c, int n) {
    __shared__ int found;
    if (threadIdx.x == 0) found = n;
    __syncthreads();
    for (int from = 0; from < n; from += blockDim.x) {
        const int i = from + threadIdx.x;
        if (i < n && a[i] < 0) atomicMin(&found, i);
        __syncthreads();
        if (found < n) break;
        __syncthreads();
    }
    if (threadIdx.x == 0) *c = found;
}
torch::Tensor search(torch::Tensor A) {
    auto C = torch::empty({1}, A.options().dtype(torch::kInt32));
    first_negative<<<1, 16>>>(A.data_ptr<float>(), C.data_ptr<int>(), A.numel());
    return C;
}
