// The strides of rows and columns are exchanged in the index of the load.
// task: scalar_multiply_layouts
// refused by: emulator
// hazards: out-of-bounds
// says: row and column are swapped where the result is stored, or where the input is read
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void scale_kernel(const float* A, float s, float* C, int64_t N, int64_t n, int64_t row, int64_t column) {
    int64_t e = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (e < n) {
        C[e] = A[e / N * column + e % N * row] * s;
    }
}

torch::Tensor scale(torch::Tensor A, double s) {
    TORCH_CHECK(A.is_cuda() && A.scalar_type() == torch::kFloat32, "A must be a float32 tensor on the GPU");
    auto C = torch::empty({A.size(0), A.size(1)}, A.options());
    int64_t n = A.numel();
    if (n == 0) return C;
    scale_kernel<<<(n + 255) / 256, 256>>>(
        A.data_ptr<float>(), s, C.data_ptr<float>(), A.size(1), n, A.stride(0), A.stride(1));
    return C;
}
