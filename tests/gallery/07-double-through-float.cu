// The scalar is a float for every type, so a double matrix is multiplied by a rounded number.
// task: scalar_multiply_types
// refused by: emulator, nvcc
// says: s was rounded to float on its way to the kernel, and A is double: pass s as a double
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

template <typename T>
__global__ void scale_kernel(const T* A, float s, T* C, int64_t n) {
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
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(A.scalar_type(), "scale", [&] {
        scale_kernel<scalar_t>
            <<<(n + 255) / 256, 256>>>(A.data_ptr<scalar_t>(), static_cast<float>(s), C.data_ptr<scalar_t>(), n);
    });
    return C;
}
