// A grid and blocks of three dimensions.
// task: relu
#include <torch/extension.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
    const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const int i = block * (blockDim.x * blockDim.y * blockDim.z) + thread;
    if (i < n) y[i] = x[i] < 0 ? 0 : x[i];
}

torch::Tensor relu(torch::Tensor A) {
    auto C = torch::empty_like(A);
    const int n = A.numel(), blocks = (n + 127) / 128;
    if (!blocks) return C;
    const dim3 block(8, 4, 4), grid(2, 3, (blocks + 5) / 6);
    relu_kernel<<<grid, block>>>(A.data_ptr<float>(), C.data_ptr<float>(), n);
    return C;
}
