// Branches within branches and loops.

__global__ void branch(const float* a, const int* from, const int64_t* masks, float* c, int n, int rounds) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int k = from[i];
    float sum = 0;
    for (int j = 0; j < rounds; ++j) {
        sum += a[k + 1280 * j];  // branch: all
        if (masks[j] >> i % 32 & 1) {
            sum *= a[k + 256 + 1280 * j];  // branch: if
            for (int m = 0; k % (j + 2) == 0 && m < 1; ++m) {
                sum += a[k + 512 + 1280 * j];  // branch: inner
            }
        } else {
            sum -= a[k + 768 + 1280 * j];  // branch: else
        }
        sum *= a[k + 1024 + 1280 * j];  // branch: after
    }
    c[i] = sum;
}
torch::Tensor branched(torch::Tensor A, torch::Tensor from, torch::Tensor masks) {
    auto C = torch::empty({from.numel()}, A.options());
    branch<<<1, from.numel()>>>(A.data_ptr<float>(), from.data_ptr<int>(), masks.data_ptr<int64_t>(),
                                C.data_ptr<float>(), from.numel(), masks.numel());
    return C;
}
