// A __device__ function pointer that the kernel calls.
// task: relu
#include <torch/extension.h>

using Activation = float (*)(float);

__device__ float relu_of(float x) { return x < 0.0f ? 0.0f : x; }
__device__ float identity(float x) { return x; }

__global__ void apply(const float* x, float* y, int n, bool on) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    Activation f = on ? relu_of : identity;
    if (i < n) y[i] = f(x[i]);
}

torch::Tensor relu(torch::Tensor A) {
    auto C = torch::empty_like(A);
    int n = A.numel();
    if (n) apply<<<(n + 255) / 256, 256>>>(A.data_ptr<float>(), C.data_ptr<float>(), n, true);
    return C;
}
