// Partial sums of blocks, then their sum.
// call: total(x)
// gives: x.sum()
#include <torch/extension.h>

__global__ void partial_kernel(const float* A, float* partial, int n) {
    __shared__ float tile[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    tile[threadIdx.x] = i < n ? A[i] : 0.0f;
    for (int half = 64; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = tile[0];
}

__global__ void total_kernel(const float* partial, float* sum, int count) {
    *sum = 0.0f;
    for (int b = 0; b < count; ++b) *sum += partial[b];
}

torch::Tensor total(torch::Tensor A) {
    const int n = A.numel(), blocks = (n + 127) / 128;
    auto partial = torch::empty({blocks}, A.options());
    auto sum = torch::empty({}, A.options());
    partial_kernel<<<blocks, 128>>>(A.data_ptr<float>(), partial.data_ptr<float>(), n);
    total_kernel<<<1, 1>>>(partial.data_ptr<float>(), sum.data_ptr<float>(), blocks);
    return sum;
}
