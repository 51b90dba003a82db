// The output has the input's shape, type and device.
// call: doubled(A)
// gives: A * 2
// call: doubled(A.t())
// gives: A.t() * 2
// call: doubled(A[:0])
// gives: A[:0]
#include <torch/extension.h>

__global__ void doubled_kernel(const float* A, float* C, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) C[i] = 2.0f * A[i];
}

torch::Tensor doubled(torch::Tensor A) {
    auto C = torch::empty_like(A);
    int n = A.numel();
    if (n > 0) doubled_kernel<<<(n + 255) / 256, 256>>>(A.data_ptr<float>(), C.data_ptr<float>(), n);
    return C;
}
