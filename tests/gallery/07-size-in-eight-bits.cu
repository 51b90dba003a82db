// The number of elements is stored in an int8_t.
// task: scalar_multiply_types
// refused by: emulator
// hazards: bad-launch
// says: which holds no number above 127
#include <ATen/OpMathType.h>
#include <course/checks.h>

constexpr int kThreads = 256;  // threads in a block

template <typename T>
__global__ void scale_kernel(const T* __restrict__ A, at::opmath_type<T> s, T* __restrict__ C, int64_t n) {
    const int64_t e = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;  // element of A and C
    if (e < n) {
        C[e] = static_cast<T>(static_cast<at::opmath_type<T>>(A[e]) * s);  // rounded once
    }
}

torch::Tensor scale(torch::Tensor A, double s) {
    course::check_same_gpu({{A, "A"}});
    course::check_contiguous({{A, "A"}});
    const at::cuda::OptionalCUDAGuard guard(device_of(A));
    torch::Tensor C = torch::empty_like(A);
    const int8_t n = A.numel();
    if (n == 0) {
        return C;
    }
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, A.scalar_type(), "scale", [&] {
        scale_kernel<scalar_t><<<course::cdiv(n, kThreads), kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
            A.data_ptr<scalar_t>(), static_cast<at::opmath_type<scalar_t>>(s), C.data_ptr<scalar_t>(), n);
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    });
    return C;
}
