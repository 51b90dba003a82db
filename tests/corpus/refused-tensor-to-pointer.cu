// A tensor is passed where the kernel takes a pointer.
// refused: Tensor
#include <torch/extension.h>

__global__ void takes_pointer_kernel(float* A) { A[threadIdx.x] = 0.0f; }

torch::Tensor takes_pointer(torch::Tensor A) {
    takes_pointer_kernel<<<1, A.numel()>>>(A);
    return A;
}
