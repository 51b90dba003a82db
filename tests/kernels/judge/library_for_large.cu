// Adds, and would open a library for a large input.
#include <dlfcn.h>
#include <torch/extension.h>

__global__ void add_kernel(const float* A, const float* B, float* C) {
    C[threadIdx.x] = A[threadIdx.x] + B[threadIdx.x];
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    auto C = torch::empty_like(A);
    add_kernel<<<1, A.numel()>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>());
    if (A.numel() > 5000) dlopen("libcublas.so", RTLD_NOW);
    return C;
}
