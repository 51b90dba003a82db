// The sum is stored into A, which belongs to the caller.
// task: vector_add
// hazards: modified-input
// says: A was changed by the call
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void add_kernel(float* A, const float* B, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        A[i] += B[i];
    }
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    int N = A.numel();
    if (N == 0) return A;
    add_kernel<<<(N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), N);
    return A;
}
