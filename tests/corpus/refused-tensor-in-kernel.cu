// A kernel cannot call a tensor's member functions.
// refused: (?i)host(?:__)? function
#include <torch/extension.h>

__global__ void asking_kernel(torch::Tensor A, float* C) {
    if (threadIdx.x < A.size(0)) C[threadIdx.x] = 0.0f;
}

torch::Tensor asking(torch::Tensor A) {
    auto C = torch::empty_like(A);
    asking_kernel<<<1, A.numel()>>>(A, C.data_ptr<float>());
    return C;
}
