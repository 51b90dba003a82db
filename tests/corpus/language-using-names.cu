// Names without their namespace.
// call: magnitudes(A)
// gives: A.abs()
#include <torch/extension.h>
using torch::Tensor;
using Shape = at::IntArrayRef;

__global__ void magnitudes_kernel(const float* A, float* C) { C[threadIdx.x] = fabsf(A[threadIdx.x]); }

Tensor magnitudes(const Tensor& A) {
    Shape sizes = A.sizes();
    Tensor C = torch::empty(sizes, A.options()), D = empty_like(C);
    magnitudes_kernel<<<1, A.numel()>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
