// Successive blocks begin 512 elements apart, as if each of their 256 threads computed two elements.
// task: vector_add
// says: Of every 512 elements only the first 256 were stored: blocks begin 512 elements apart
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void add_kernel(const float* A, const float* B, float* C, int N) {
    int i = blockIdx.x * 2 * blockDim.x + threadIdx.x;
    if (i < N) {
        C[i] = A[i] + B[i];
    }
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    auto C = torch::empty_like(A);
    int N = A.numel();
    if (N == 0) return C;
    add_kernel<<<(N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), N);
    return C;
}
