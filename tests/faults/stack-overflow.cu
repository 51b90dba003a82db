// A recursion of the wrapper has no end.
// answer: 00-add
// says: the wrapper used more stack than there is: endless recursion
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

volatile int64_t deepest = 0;

int64_t halved(int64_t n) {
    deepest = deepest + 1;
    return halved(n / 2) + deepest;
}

__global__ void add_kernel(const float* A, const float* B, float* C, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        C[i] = A[i] + B[i];
    }
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    TORCH_CHECK(halved(A.numel()) >= 0);
    auto C = torch::empty_like(A);
    int N = A.numel();
    if (N == 0) return C;
    add_kernel<<<(N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), N);
    return C;
}
