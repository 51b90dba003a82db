// y = s * x in one kernel, z = y + b in the next, in the same tensor.
// task: axpy
#include <torch/extension.h>

void check(const torch::Tensor& t, const char* name) {
    TORCH_CHECK(t.device().is_cuda(), name, " must be on the GPU");
    TORCH_CHECK(t.scalar_type() == at::ScalarType::Float, name, " must be float32");
    TORCH_CHECK(t.is_contiguous() && t.dim() == 1, name, " must be a contiguous vector");
}

__global__ void scale(float s, const float* x, float* y, int n) {
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) y[i] = s * x[i];
}
__global__ void add(const float* x, float* y, int n) {
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) y[i] += x[i];
}

torch::Tensor axpy(double s, torch::Tensor A, torch::Tensor B) {
    check(A, "A");
    check(B, "B");
    TORCH_CHECK_EQ(A.size(0), B.size(0));
    torch::Tensor C = at::empty({A.size(0)}, A.options());
    int n = A.size(0);
    scale<<<4, 256>>>(s, A.data_ptr<float>(), C.data_ptr<float>(), n);
    add<<<4, 256>>>(B.data_ptr<float>(), C.data_ptr<float>(), n);
    return C;
}
