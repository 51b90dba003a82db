// ReLU directly, after a kernel that copies, and after a copy that no kernel makes.
#include <torch/extension.h>

__global__ void copy_kernel(const float* A, float* C, int64_t n) {
    const int64_t e = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (e < n) C[e] = A[e];
}
__global__ void relu_kernel(const float* A, float* C, int64_t n) {
    const int64_t e = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (e < n) C[e] = A[e] < 0 ? 0 : A[e];
}
static torch::Tensor launched(torch::Tensor A, bool twice) {
    torch::Tensor B = A, C = torch::empty_like(A);
    const int64_t n = A.numel(), blocks = (n + 127) / 128;
    if (twice) {
        B = torch::empty_like(A);
        copy_kernel<<<blocks, 128>>>(A.data_ptr<float>(), B.data_ptr<float>(), n);
    }
    relu_kernel<<<blocks, 128>>>(B.data_ptr<float>(), C.data_ptr<float>(), n);
    return C;
}
torch::Tensor once(torch::Tensor A) { return launched(A, false); }
torch::Tensor twice(torch::Tensor A) { return launched(A, true); }
torch::Tensor of_a_copy(torch::Tensor A) { return launched(A.clone(), false); }
