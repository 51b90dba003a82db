// A kernel returns nothing.
// refused: void
#include <torch/extension.h>

__global__ float returning_kernel(float* A) { return A[threadIdx.x]; }

torch::Tensor returning(torch::Tensor A) {
    returning_kernel<<<1, A.numel()>>>(A.data_ptr<float>());
    return A;
}
