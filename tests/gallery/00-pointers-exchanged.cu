// The launch exchanges the pointers to B and C.
// task: vector_add
// refused by: emulator, nvcc
// hazards: modified-input
// says: The kernel stored into B instead of the output: the launch passes its pointers in a different order
// first attempt: 00 vector add, yes
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void add_kernel(const float* A, const float* B, float* C, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        C[i] = A[i] + B[i];
    }
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    auto C = torch::empty_like(A);
    int N = A.numel();
    if (N == 0) return C;
    add_kernel<<<(N + 255) / 256, 256>>>(A.data_ptr<float>(), C.data_ptr<float>(), B.data_ptr<float>(), N);
    return C;
}
