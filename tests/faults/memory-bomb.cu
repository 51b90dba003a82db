// The wrapper takes more and more memory.
// answer: 00-add
// says: (ended by SIGKILL, as happens when too much memory is used|std::bad_alloc)
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>
#include <string>

__global__ void add_kernel(const float* A, const float* B, float* C, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        C[i] = A[i] + B[i];
    }
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    std::string kept(1 << 20, 'x');
    while (true) kept += kept;
    auto C = torch::empty_like(A);
    int N = A.numel();
    if (N == 0) return C;
    add_kernel<<<(N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), N);
    return C;
}
