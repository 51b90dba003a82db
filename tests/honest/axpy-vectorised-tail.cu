// float4 with a head, a body and a tail in one kernel.
// task: axpy
#include <torch/extension.h>

__global__ void axpy_kernel(float s, const float* A, const float* B, float* C, int n) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    const bool aligned = ((size_t)A | (size_t)B | (size_t)C) % sizeof(float4) == 0;
    const int quads = aligned ? n / 4 : 0;
    const float4 *A4 = (const float4*)A, *B4 = (const float4*)B;
    for (int q = t; q < quads; q += threads) {
        const float4 a = A4[q], b = B4[q];
        ((float4*)C)[q] = {s * a.x + b.x, s * a.y + b.y, s * a.z + b.z, s * a.w + b.w};
    }
    for (int i = 4 * quads + t; i < n; i += threads) C[i] = s * A[i] + B[i];
}

torch::Tensor axpy(double s, torch::Tensor A, torch::Tensor B) {
    for (const auto& t : {A, B}) {
        TORCH_CHECK(t.is_cuda() && t.dtype() == torch::kFloat32 && t.is_contiguous() && t.dim() == 1);
    }
    if (A.numel() != B.numel()) throw std::invalid_argument("A and B differ in length");
    auto C = torch::empty_like(A);
    axpy_kernel<<<3, 128>>>(s, A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
