// All threads clear the flag, and any may set it.
// shared_flag: (A > 0.5).any()

__global__ void any_above(const float* a, int* c, int n, float bound) {
    __shared__ bool above;
    above = false;
    __syncthreads();
    if (threadIdx.x < n && a[threadIdx.x] > bound) above = true;
    __syncthreads();
    if (threadIdx.x == 0) *c = above;
}
torch::Tensor shared_flag(torch::Tensor A) {
    auto C = torch::empty({1}, A.options().dtype(torch::kInt32));
    any_above<<<1, 128>>>(A.data_ptr<float>(), C.data_ptr<int>(), A.numel(), 0.5f);
    return C;
}
