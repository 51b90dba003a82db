// A Python float arrives as a double and is narrowed at the launch.
// call: shifted(A, 0.1)
// gives: A + torch.tensor(0.1)
#include <torch/extension.h>

__global__ void shifted_kernel(const float* A, float* C, float by) { C[threadIdx.x] = A[threadIdx.x] + by; }

torch::Tensor shifted(torch::Tensor A, double by) {
    auto C = torch::empty_like(A);
    shifted_kernel<<<1, A.numel()>>>(A.data_ptr<float>(), C.data_ptr<float>(), by);
    return C;
}
