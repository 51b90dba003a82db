// For an empty tensor, the grid has no blocks, and CUDA refuses the launch.
// task: vector_add
// refused by: emulator, nvcc
// hazards: bad-launch
// says: no blocks.*(: return early when there is nothing to do|cannot be launched)|a grid needs at least one block
// first attempt: 00 axpy, yes
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
    add_kernel<<<(N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), N);
    return C;
}
