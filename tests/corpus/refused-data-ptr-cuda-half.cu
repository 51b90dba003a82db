// data_ptr has PyTorch's types, not CUDA's.
// refused: data_ptr
#include <torch/extension.h>
#include <cuda_fp16.h>

__global__ void halves_of_cuda_kernel(__half* A) { A[threadIdx.x] = __float2half(0.0f); }

torch::Tensor halves_of_cuda(torch::Tensor A) {
    halves_of_cuda_kernel<<<1, A.numel()>>>(A.data_ptr<__half>());
    return A;
}
