// The grid has only as many blocks as the GPU can hold at once, but the kernel has no loop.
// task: scalar_multiply
// refused by: emulator, nvcc
// says: from element 270336 on was never written: there are too few threads .* each thread needs a loop with the step gridDim
#include <algorithm>

#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void scale_kernel(const float* A, float s, float* C, int64_t n) {
    int64_t e = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (e < n) {
        C[e] = A[e] * s;
    }
}

torch::Tensor scale(torch::Tensor A, double s) {
    auto C = torch::empty_like(A);
    int64_t n = A.numel();
    if (n == 0) return C;
    int64_t blocks = std::min<int64_t>((n + 255) / 256, 132 * 2048 / 256);
    scale_kernel<<<blocks, 256>>>(A.data_ptr<float>(), s, C.data_ptr<float>(), n);
    return C;
}
