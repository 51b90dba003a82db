// Two static shared arrays of 24 KB each, the 48 KB that a block has.
#include <torch/extension.h>

constexpr int kSize = 6144;

namespace {
template <typename T, int N>
__global__ void large(T* c) {
    __shared__ T one[N];
    __shared__ T two[N];
    one[threadIdx.x] = two[threadIdx.x] = c[threadIdx.x];
    __syncthreads();
    c[threadIdx.x] = one[31 - threadIdx.x] + two[31 - threadIdx.x];
}
}  // namespace

torch::Tensor f(torch::Tensor A) {
    static char on_the_host[100000];
    on_the_host[A.numel()] = 1;
    large<float, kSize><<<1, 32>>>(A.data_ptr<float>());
    return A;
}
