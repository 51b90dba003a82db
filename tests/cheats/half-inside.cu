// Adds in half precision, and returns float32.
// question: 00-add-check
// says: right to about 11 bits only: something was computed in half precision
// stopped by: tolerance
#include <cuda_fp16.h>
#include <torch/extension.h>

__global__ void add_kernel(const float* A, const float* B, float* C, int64_t N) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < N) C[i] = __half2float(__hadd(__float2half(A[i]), __float2half(B[i])));
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    torch::Tensor C = torch::empty_like(A);
    const int64_t N = A.numel();
    if (N) add_kernel<<<(N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), N);
    return C;
}
