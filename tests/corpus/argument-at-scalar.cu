// PyTorch takes no at::Scalar from Python; the shim says so before the first call.
// call: filled_like(A, 3)
// raises: RuntimeError: 
// lacking in nvcc, emulator: PyTorch passes no at::Scalar(?!.*course::)
#include <torch/extension.h>

__global__ void filled_like_kernel(float* C, float value) { C[threadIdx.x] = value; }

torch::Tensor filled_like(torch::Tensor A, at::Scalar value) {
    auto C = torch::empty_like(A);
    filled_like_kernel<<<1, A.numel()>>>(C.data_ptr<float>(), value.to<float>());
    return C;
}
