// The dispatch macro does not include half.
// task: scalar_multiply_types
// says: "scale" not implemented for .Half.
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

template <typename T>
__global__ void scale_kernel(const T* A, double s, T* C, int64_t n) {
    int64_t e = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (e < n) {
        C[e] = static_cast<T>(A[e] * s);
    }
}

torch::Tensor scale(torch::Tensor A, double s) {
    TORCH_CHECK(A.is_cuda() && A.is_contiguous(), "A must be a contiguous tensor on the GPU");
    auto C = torch::empty_like(A);
    int64_t n = A.numel();
    if (n == 0) return C;
    AT_DISPATCH_FLOATING_TYPES(A.scalar_type(), "scale", [&] {
        scale_kernel<scalar_t>
            <<<(n + 255) / 256, 256>>>(A.data_ptr<scalar_t>(), static_cast<double>(s), C.data_ptr<scalar_t>(), n);
    });
    return C;
}
