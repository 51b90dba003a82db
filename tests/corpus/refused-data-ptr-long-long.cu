// int64_t is long; long long is another type.
// refused: data_ptr
#include <torch/extension.h>

__global__ void long_longs_kernel(long long* A) { A[threadIdx.x] = 0; }

torch::Tensor long_longs(torch::Tensor A) {
    long_longs_kernel<<<1, A.numel()>>>(A.data_ptr<long long>());
    return A;
}
