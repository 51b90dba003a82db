// The kernel is defined below the function that launches it.
// refused: launched_early_kernel
#include <torch/extension.h>

torch::Tensor launched_early(torch::Tensor A) {
    launched_early_kernel<<<1, A.numel()>>>(A.data_ptr<float>());
    return A;
}

__global__ void launched_early_kernel(float* A) { A[threadIdx.x] = 0.0f; }
