// torch/extension.h does not include the header of streams.
// refused: at::cuda
#include <torch/extension.h>

__global__ void streamless_kernel(float* A) { A[threadIdx.x] = 0.0f; }

torch::Tensor streamless(torch::Tensor A) {
    streamless_kernel<<<1, A.numel(), 0, at::cuda::getCurrentCUDAStream()>>>(A.data_ptr<float>());
    return A;
}
