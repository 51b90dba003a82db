// Shared memory through volatile, with fences that are not needed.
// task: relu
#include <torch/extension.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
    __shared__ volatile float tile[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    tile[threadIdx.x] = i < n ? x[i] : 0.0f;
    __threadfence_block();
    __syncthreads();
    const float v = tile[threadIdx.x];
    if (i < n) y[i] = v < 0.0f ? 0.0f : v;
    __threadfence();
}

torch::Tensor relu(torch::Tensor A) {
    auto C = torch::empty_like(A);
    const int n = A.numel();
    if (n) relu_kernel<<<(n + 255) / 256, 256>>>(A.data_ptr<float>(), C.data_ptr<float>(), n);
    return C;
}
