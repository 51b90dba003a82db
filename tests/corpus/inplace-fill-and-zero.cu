// Fills before and after a kernel, one of them of a part of a tensor.
// call: [refilled(A), A]
// gives: [torch.full((3, 4), 3.0), torch.tensor([[0.0] * 4, [3.0] * 4, [3.0] * 4])]
#include <torch/extension.h>

__global__ void refilled_kernel(const float* A, float* C) { C[threadIdx.x] += A[threadIdx.x] - 1.0f; }

torch::Tensor refilled(torch::Tensor A) {
    auto C = torch::empty_like(A).fill_(1);
    A.fill_(3.0);
    refilled_kernel<<<1, A.numel()>>>(A.data_ptr<float>(), C.data_ptr<float>());
    A[0].zero_();
    return C;
}
