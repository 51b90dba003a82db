// Copies a tensor, one thread per element.
#include <torch/extension.h>

__global__ void copy_kernel(const float* A, float* C, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) C[i] = A[i];
}

torch::Tensor copied(torch::Tensor A) {
    auto C = torch::empty_like(A);
    int N = A.numel();
    copy_kernel<<<(N + 255) / 256, 256>>>(A.data_ptr<float>(), C.data_ptr<float>(), N);
    return C;
}
