// For an empty matrix, the launch has no blocks, and the wrapper's error says only that the launch failed.
// task: scalar_multiply
// refused by: emulator, nvcc
// hazards: bad-launch
// says: a grid of (no blocks cannot be launched|\(0, 1, 1\) has no blocks: return early when there is nothing to do)|a grid needs at least one block
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

#include <stdexcept>
#include <string>

__global__ void scale_kernel(const float* A, float s, float* C, int64_t n) {
    int64_t e = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (e < n) {
        C[e] = A[e] * s;
    }
}

torch::Tensor scale(torch::Tensor A, double s) {
    auto C = torch::empty_like(A);
    int64_t n = A.numel();
    scale_kernel<<<(n + 255) / 256, 256>>>(A.data_ptr<float>(), s, C.data_ptr<float>(), n);
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) {
        throw std::runtime_error(std::string("scale failed: ") + cudaGetErrorString(error));
    }
    return C;
}
