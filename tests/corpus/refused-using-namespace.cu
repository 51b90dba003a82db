// Both torch and at have the functions that make tensors, so their names are ambiguous.
// refused: ambiguous|matches the argument list
#include <torch/extension.h>
using namespace torch;

__global__ void without_namespace_kernel(const float* A, float* C) { C[threadIdx.x] = A[threadIdx.x]; }

Tensor without_namespace(Tensor A) {
    Tensor C = empty(A.sizes(), A.options());
    without_namespace_kernel<<<1, A.numel()>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
