// Loads and stores with cache hints, of two floats each, and a tail.
// task: vector_add
#include <torch/extension.h>

__global__ void __launch_bounds__(256) add_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                                  float* __restrict__ c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (2 * i + 1 < n) {
        const float2 x = __ldcs(reinterpret_cast<const float2*>(a) + i);
        const float2 y = __ldg(reinterpret_cast<const float2*>(b) + i);
        __stcs(reinterpret_cast<float2*>(c) + i, make_float2(x.x + y.x, x.y + y.y));
    } else if (2 * i < n) {
        c[2 * i] = a[2 * i] + b[2 * i];
    }
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    auto C = torch::empty_like(A);
    const int n = A.numel(), pairs = (n + 1) / 2;
    if (pairs) {
        add_kernel<<<(pairs + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), n);
    }
    return C;
}
