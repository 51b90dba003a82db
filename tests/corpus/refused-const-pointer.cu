// Writing through a pointer to const.
// refused: (?i)modifiable lvalue|read-only
#include <torch/extension.h>

__global__ void written_const_kernel(const float* A) { A[threadIdx.x] = 0.0f; }

torch::Tensor written_const(torch::Tensor A) {
    written_const_kernel<<<1, A.numel()>>>(A.data_ptr<float>());
    return A;
}
