// A matrix with gaps in its memory is read in the order of its memory, including the gaps.
// task: scalar_multiply_layouts
// refused by: emulator, nvcc
// says: pitched: .* Wrong elements hold the values of other elements, always 52 elements earlier: element 52
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void scale_kernel(const float* A, float s, float* C, int64_t n) {
    int64_t e = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (e < n) {
        C[e] = A[e] * s;
    }
}

torch::Tensor scale(torch::Tensor A, double s) {
    TORCH_CHECK(A.is_cuda() && A.scalar_type() == torch::kFloat32, "A must be a float32 tensor on the GPU");
    if (A.dim() == 2 && A.stride(0) != 1 && A.stride(1) != 1) A = A.contiguous();
    auto C = torch::empty_like(A);
    int64_t n = A.numel();
    if (n == 0) return C;
    scale_kernel<<<(n + 255) / 256, 256>>>(A.data_ptr<float>(), s, C.data_ptr<float>(), n);
    return C;
}
