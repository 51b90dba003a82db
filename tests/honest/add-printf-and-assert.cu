// printf and assert in a kernel.
// task: vector_add
#include <torch/extension.h>
#include <cassert>

__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(blockDim.x == 256);
    if (i == 0 && n == 255) printf("block %d of %d starts, n = %d\n", blockIdx.x, gridDim.x, n);
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    assert(A.sizes() == B.sizes());
    auto C = torch::empty_like(A);
    if (A.numel() > 0) {
        add_kernel<<<(A.numel() + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(),
                                                     A.numel());
    }
    return C;
}
