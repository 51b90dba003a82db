// A volatile flag ends the loops of all threads.
// volatile_flag: (A > 1).any()

__global__ void any_large_volatile(const float* a, volatile int* flag, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n && !*flag; i += gridDim.x * blockDim.x) {
        if (a[i] > 1) *flag = 1;
    }
}
torch::Tensor volatile_flag(torch::Tensor A) {
    auto C = torch::zeros({1}, A.options().dtype(torch::kInt32));
    any_large_volatile<<<2, 16>>>(A.data_ptr<float>(), C.data_ptr<int>(), A.numel());
    return C;
}
