// Reverses as many elements as its shared array has.
#include <torch/extension.h>

constexpr int kSize = 8;

template <typename T>
__global__ void reverse(const T* a, T* c) {
    __shared__ T tile[kSize];
    tile[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    c[threadIdx.x] = tile[kSize - 1 - threadIdx.x];
}

torch::Tensor reversed(torch::Tensor A) {
    auto C = torch::empty_like(A);
    reverse<float><<<1, kSize>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
