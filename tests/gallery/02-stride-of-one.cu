// The grid-stride loop steps by 1 instead of the number of threads in the grid.
// task: scalar_multiply_by_stride
// refused by: emulator, nvcc
// hazards: timeout
// says: elements were stored by several threads: .* Does a loop step by 1 instead of the number of threads
#include <algorithm>

#include <torch/extension.h>

__global__ void scale_kernel(const float* A, float s, float* C, int64_t n) {
    for (int64_t e = blockIdx.x * blockDim.x + threadIdx.x; e < n; ++e) {
        C[e] = A[e] * s;
    }
}

torch::Tensor scale(torch::Tensor A, double s) {
    auto C = torch::empty_like(A);
    const int64_t n = A.numel();
    if (n == 0) return C;
    const int64_t blocks = std::min<int64_t>((n + 255) / 256, 132 * 8);
    scale_kernel<<<blocks, 256>>>(A.data_ptr<float>(), s, C.data_ptr<float>(), n);
    return C;
}
