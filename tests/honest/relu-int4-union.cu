// Sixteen bytes at a time through a union, with a head, a body and a tail.
// task: relu
#include <torch/extension.h>
#include <cstdint>

union Four {
    int4 bits;
    float values[4];
};

__global__ void relu_kernel(const float* x, float* y, int64_t n) {
    const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
    const bool aligned = ((reinterpret_cast<uintptr_t>(x) | reinterpret_cast<uintptr_t>(y)) & 15) == 0;
    if (aligned && 4 * i + 3 < n) {
        Four four;
        four.bits = reinterpret_cast<const int4*>(x)[i];
#pragma unroll
        for (int k = 0; k < 4; ++k) four.values[k] = four.values[k] < 0.0f ? 0.0f : four.values[k];
        reinterpret_cast<int4*>(y)[i] = four.bits;
    } else {
        for (int64_t k = 4 * i; k < min(4 * i + 4, n); ++k) y[k] = x[k] < 0.0f ? 0.0f : x[k];
    }
}

torch::Tensor relu(torch::Tensor A) {
    auto C = torch::empty_like(A);
    const int64_t fours = (A.numel() + 3) / 4;
    if (fours) relu_kernel<<<(fours + 127) / 128, 128>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
