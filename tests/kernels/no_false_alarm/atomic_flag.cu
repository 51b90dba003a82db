// A block that sees the flag ends early; reads and writes of the flag are atomic.
// atomic_flag: (A > 1).any()

__global__ void any_large(const float* a, int* flag, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (atomicAdd(flag, 0)) return;
    if (i < n && a[i] > 1) atomicExch(flag, 1);
}
torch::Tensor atomic_flag(torch::Tensor A) {
    auto C = torch::zeros({1}, A.options().dtype(torch::kInt32));
    any_large<<<4, 32>>>(A.data_ptr<float>(), C.data_ptr<int>(), A.numel());
    return C;
}
