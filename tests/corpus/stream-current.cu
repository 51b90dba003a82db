// The launch goes to PyTorch's current stream.
// call: on_stream(A)
// gives: A + 4
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__global__ void on_stream_kernel(const float* A, float* C) { C[threadIdx.x] = A[threadIdx.x] + 4.0f; }

torch::Tensor on_stream(torch::Tensor A) {
    auto C = torch::empty_like(A);
    on_stream_kernel<<<1, A.numel(), 0, at::cuda::getCurrentCUDAStream()>>>(A.data_ptr<float>(), C.data_ptr<float>());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return C;
}
