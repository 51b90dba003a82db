// A transposed matrix is copied, but should be read in the order of its memory.
// task: scalar_multiply_layouts
// says: could not be counted: Tensors were copied outside of a kernel .* let the kernel read its inputs
#include <torch/extension.h>

__global__ void scale_kernel(const float* A, float s, float* C, int n) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < n) {
        C[e] = A[e] * s;
    }
}

torch::Tensor scale(torch::Tensor A, double s) {
    TORCH_CHECK(A.is_cuda() && A.scalar_type() == torch::kFloat32, "A must be on the GPU, and float32");
    A = A.contiguous();
    auto C = torch::empty_like(A);
    int n = A.numel();
    if (n == 0) return C;
    scale_kernel<<<(n + 255) / 256, 256>>>(A.data_ptr<float>(), s, C.data_ptr<float>(), n);
    return C;
}
