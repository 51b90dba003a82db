// A function that returns nothing.
// call: [set_to_seven(A), A]
// gives: [None, torch.full_like(A, 7)]
#include <torch/extension.h>

__global__ void set_to_seven_kernel(float* A) { A[threadIdx.x] = 7.0f; }

void set_to_seven(torch::Tensor A) { set_to_seven_kernel<<<1, A.numel()>>>(A.data_ptr<float>()); }
