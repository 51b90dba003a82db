// A launch with more threads than a block may have, and the launch check.
// call: too_many_threads(x)
// raises: RuntimeError: CUDA error: invalid
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__global__ void too_many_threads_kernel(float* A) { A[threadIdx.x] = 0.0f; }

void too_many_threads(torch::Tensor A) {
    too_many_threads_kernel<<<1, 2048, 0, at::cuda::getCurrentCUDAStream()>>>(A.data_ptr<float>());
    AT_CUDA_CHECK(cudaGetLastError());
}
