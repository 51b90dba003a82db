// Every element is NaN, in case the comparison accepts NaN for any value.
// question: 00-add-check
// says: 20,011 of 20,011 elements of the output are wrong. At .0. got nan
// stopped by: NaN is no wildcard
#include <torch/extension.h>

__global__ void nan_kernel(float* C, int64_t N) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < N) C[i] = 0.0f / 0.0f;
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    torch::Tensor C = torch::empty_like(A);
    if (A.numel()) nan_kernel<<<(A.numel() + 255) / 256, 256>>>(C.data_ptr<float>(), A.numel());
    return C;
}
