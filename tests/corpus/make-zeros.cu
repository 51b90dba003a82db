// A sum is accumulated in zeros.
// call: column_sums(A)
// gives: A.sum(0)
#include <torch/extension.h>

__global__ void column_sums_kernel(const float* A, float* sums, int N) {
    atomicAdd(&sums[threadIdx.x], A[blockIdx.x * N + threadIdx.x]);
}

torch::Tensor column_sums(torch::Tensor A) {
    auto sums = torch::zeros({A.size(1)}, A.options());
    column_sums_kernel<<<A.size(0), A.size(1)>>>(A.data_ptr<float>(), sums.data_ptr<float>(), A.size(1));
    return sums;
}
