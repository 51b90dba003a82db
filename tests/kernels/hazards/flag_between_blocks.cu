// A flag is read while other blocks set it.
// size: 64
// hazard: race
// where: flag-seen 0 1, flag-raised 0 0
// says: do one of the two accesses in a separate launch

__global__ void any_large_block(const float* a, int* flag, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (*flag) return;                    // flag-seen
    if (i < n && a[i] > -100) *flag = 1;  // flag-raised
}

torch::Tensor flag_between_blocks(torch::Tensor A) {
    auto C = torch::zeros({1}, A.options().dtype(torch::kInt32));
    any_large_block<<<64, 1>>>(A.data_ptr<float>(), C.data_ptr<int>(), A.numel());
    return C;
}
