// One kernel multiplies, and a second kernel adds.
// task: axpy_in_one_kernel
// says: what one kernel stores and the next kernel loads is moved twice\. Do all the work in one kernel
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void multiply_kernel(float s, const float* A, float* C, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) C[i] = s * A[i];
}

__global__ void add_kernel(const float* B, float* C, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) C[i] += B[i];
}

torch::Tensor axpy(double s, torch::Tensor A, torch::Tensor B) {
    TORCH_CHECK(A.is_cuda() && B.is_cuda(), "A and B must be on the GPU");
    TORCH_CHECK(A.scalar_type() == torch::kFloat32 && B.scalar_type() == torch::kFloat32, "A and B must be float32");
    TORCH_CHECK(A.sizes() == B.sizes(), "A and B must have the same shape");
    TORCH_CHECK(A.is_contiguous() && B.is_contiguous(), "A and B must be contiguous");
    auto C = torch::empty_like(A);
    int N = A.numel();
    if (N == 0) return C;
    multiply_kernel<<<(N + 255) / 256, 256>>>(s, A.data_ptr<float>(), C.data_ptr<float>(), N);
    add_kernel<<<(N + 255) / 256, 256>>>(B.data_ptr<float>(), C.data_ptr<float>(), N);
    return C;
}
