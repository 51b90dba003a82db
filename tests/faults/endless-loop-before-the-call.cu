// Code that runs when the module is loaded never ends.
// answer: 00-add
// says: Nothing came back within .* a loop that never ends
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

struct Table {
    volatile int filled = 0;
    Table() {
        while (filled >= 0) filled = filled & 255;
    }
} table;

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
    add_kernel<<<(N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), N);
    return C;
}
