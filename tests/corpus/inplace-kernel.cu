// The kernel changes its argument, which is returned.
// call: [incremented_(A) is A, A]
// gives: [True, A + 1]
// call: [incremented_(A[1]), A[1]]
// gives: [A[1] + 1, A[1] + 1]
#include <torch/extension.h>

__global__ void incremented_kernel(float* A, int64_t n) {
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (i < n) A[i] += 1.0f;
}

torch::Tensor incremented_(torch::Tensor A) {
    incremented_kernel<<<1, 64>>>(A.data_ptr<float>(), A.numel());
    return A;
}
