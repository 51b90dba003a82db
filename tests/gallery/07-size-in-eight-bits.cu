// The number of elements is stored in an int8_t.
// task: scalar_multiply_types
// refused by: emulator
// hazards: bad-launch
// says: which holds no number above 127
#include <course/checks.h>

constexpr int kThreads = 256;  // threads in a block

// The type in which an element of type T is multiplied.
template <typename T>
struct Compute {
    using type = T;
};
template <>
struct Compute<at::Half> {
    using type = float;
};

template <typename T>
__global__ void scale_kernel(const T* __restrict__ A, typename Compute<T>::type s, T* __restrict__ C,
                             int64_t n) {
    const int64_t e = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;  // element of A and C
    if (e < n) {
        C[e] = static_cast<T>(static_cast<typename Compute<T>::type>(A[e]) * s);  // rounded once
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
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(A.scalar_type(), "scale", [&] {
        scale_kernel<scalar_t><<<course::cdiv(n, kThreads), kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
            A.data_ptr<scalar_t>(), static_cast<Compute<scalar_t>::type>(s), C.data_ptr<scalar_t>(), n);
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    });
    return C;
}
