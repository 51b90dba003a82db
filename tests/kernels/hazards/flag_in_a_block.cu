// A flag is read while other threads of the block set it.
// size: 64
// hazard: race
// where: flag-read 1, flag-set 0
// says: a __syncthreads\(\) is missing

__global__ void any_large(const float* a, int* flag, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (*flag) return;                    // flag-read
    if (i < n && a[i] > -100) *flag = 1;  // flag-set
}

torch::Tensor flag_in_a_block(torch::Tensor A) {
    auto C = torch::zeros({1}, A.options().dtype(torch::kInt32));
    any_large<<<1, 64>>>(A.data_ptr<float>(), C.data_ptr<int>(), A.numel());
    return C;
}
