// Adds, loads past the end, and names a function of the C library.
#include <torch/extension.h>

#include <cstdlib>

__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i] + (a[i + 1] > 1e30f);  // past the end in the last thread
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    auto C = torch::empty_like(A);
    if (A.numel() < 0) std::system("true");
    const int n = A.numel();
    add_kernel<<<(n + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), n);
    return C;
}
