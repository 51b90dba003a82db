// Bit tricks: the sign bit decides, except for NaN.
// task: relu
#include <torch/extension.h>

__device__ __forceinline__ float relu_bits(float x) {
    const int bits = __float_as_int(x);
    const bool nan = (bits & 0x7fffffff) > 0x7f800000;
    return nan ? x : __int_as_float(bits & ~(bits >> 31));
}

__global__ void relu_kernel(const float* __restrict__ x, float* __restrict__ y, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = relu_bits(__ldg(&x[i]));
}

torch::Tensor relu(torch::Tensor A) {
    torch::Tensor C = torch::empty(A.sizes(), A.options());
    const unsigned n = A.numel(), threads = 192;
    if (n > 0) relu_kernel<<<(n + threads - 1) / threads, threads>>>(A.data_ptr<float>(), C.data_ptr<float>(), n);
    return C;
}
