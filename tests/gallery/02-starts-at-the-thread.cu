// The loop over the elements begins at the thread's number in its block, without the block's number.
// task: scalar_multiply
// says: every block stored the same 256 elements: the index leaves out
#include <algorithm>

#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void scale_kernel(const float* A, float s, float* C, int64_t n) {
    for (int64_t e = threadIdx.x; e < n; e += static_cast<int64_t>(gridDim.x) * blockDim.x) {
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
