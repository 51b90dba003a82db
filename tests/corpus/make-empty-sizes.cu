// The shape is another tensor's sizes().
// call: negated(A)
// gives: -A
// call: negated(A[0, 0])
// gives: -A[0, 0]
#include <torch/extension.h>

__global__ void negated_kernel(const float* A, float* C) {
    C[blockIdx.x * blockDim.x + threadIdx.x] = -A[blockIdx.x * blockDim.x + threadIdx.x];
}

at::Tensor negated(const at::Tensor& A) {
    at::Tensor C = at::empty(A.sizes(), A.options());
    negated_kernel<<<1, A.numel()>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
