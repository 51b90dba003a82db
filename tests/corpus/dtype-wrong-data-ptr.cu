// A pointer of another type than the tensor's.
// call: halved(x)
// gives: x * 0.5
// call: halved(x.double())
// raises: RuntimeError: expected scalar type Float but found Double
// call: halved(x.half())
// raises: RuntimeError: expected scalar type Float but found Half
// call: halved(I)
// raises: RuntimeError: expected scalar type Float but found Long
// call: halved(x > 0)
// raises: RuntimeError: expected scalar type Float but found Bool
#include <torch/extension.h>

__global__ void halved_kernel(const float* A, float* C, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) C[i] = 0.5f * A[i];
}

torch::Tensor halved(torch::Tensor A) {
    auto C = torch::empty_like(A);
    halved_kernel<<<(A.numel() + 127) / 128, 128>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
