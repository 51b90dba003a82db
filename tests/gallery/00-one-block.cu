// A single block has one thread per element, and there is no launch check.
// task: vector_add
// hazards: bad-launch
// says: (has 10007 threads; at most 1024 are allowed|a block can have 1 to 1024 threads)
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void add_kernel(const float* A, const float* B, float* C) {
    int i = threadIdx.x;
    C[i] = A[i] + B[i];
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    auto C = torch::empty_like(A);
    int N = A.numel();
    if (N == 0) return C;
    add_kernel<<<1, N>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
