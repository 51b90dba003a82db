// Options that begin with torch::dtype or torch::device.
// call: flags(A)
// gives: A > 0
#include <torch/extension.h>

__global__ void flags_kernel(const float* A, bool* C) { C[threadIdx.x] = A[threadIdx.x] > 0.0f; }

torch::Tensor flags(torch::Tensor A) {
    torch::Tensor C = torch::empty(A.sizes(), torch::dtype(torch::kBool).device(A.device()));
    flags_kernel<<<1, A.numel()>>>(A.data_ptr<float>(), C.data_ptr<bool>());
    return C;
}
