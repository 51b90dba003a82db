// Each vector has four elements, so a thread loads only 8 bytes of a half.
// task: scalar_multiply_vectors
// says: float16.* The kernels make 64 requests to global memory, but 48 are enough.* \(loads of 8 bytes per thread\)
#include <ATen/OpMathType.h>
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

template <typename T, int kWidth>
struct alignas(sizeof(T) * kWidth) Vector {
    T x[kWidth];
};

template <typename T, int kWidth>
__global__ void scale_kernel(const T* A, at::opmath_type<T> s, T* C, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t vectors = n / kWidth;
    if (i < vectors) {
        Vector<T, kWidth> v = reinterpret_cast<const Vector<T, kWidth>*>(A)[i];
        for (int k = 0; k < kWidth; ++k) v.x[k] = static_cast<at::opmath_type<T>>(v.x[k]) * s;
        reinterpret_cast<Vector<T, kWidth>*>(C)[i] = v;
    } else if (i < vectors + n % kWidth) {
        const int64_t e = vectors * kWidth + i - vectors;
        C[e] = static_cast<at::opmath_type<T>>(A[e]) * s;
    }
}

torch::Tensor scale(torch::Tensor A, double s) {
    TORCH_CHECK(A.is_cuda() && A.is_contiguous(), "A must be a contiguous tensor on the GPU");
    auto C = torch::empty_like(A);
    int64_t n = A.numel();
    if (n == 0) return C;
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, A.scalar_type(), "scale", [&] {
        constexpr int kWidth = 4;
        if (reinterpret_cast<uintptr_t>(A.data_ptr()) % sizeof(Vector<scalar_t, kWidth>) == 0) {
            scale_kernel<scalar_t, kWidth><<<(n / kWidth + n % kWidth + 255) / 256, 256>>>(
                A.data_ptr<scalar_t>(), s, C.data_ptr<scalar_t>(), n);
        } else {
            scale_kernel<scalar_t, 1><<<(n + 255) / 256, 256>>>(A.data_ptr<scalar_t>(), s, C.data_ptr<scalar_t>(), n);
        }
    });
    return C;
}
