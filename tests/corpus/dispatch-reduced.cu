// Only the types of 16 bits, as CUDA's own types.
// call: added_to_itself(A.half()), added_to_itself(A.bfloat16())
// gives: A.half() * 2, A.bfloat16() * 2
// call: added_to_itself(A)
// raises: NotImplementedError: "added_to_itself" not implemented for 'Float'
#include <cuda_bf16.h>
#include <torch/extension.h>

__device__ __half to_cuda(c10::Half x) { return x; }
__device__ __nv_bfloat16 to_cuda(c10::BFloat16 x) { return static_cast<__nv_bfloat16>(x); }

template <typename T>
__global__ void added_to_itself_kernel(const T* a, T* c) {
    const auto x = to_cuda(a[threadIdx.x]);
    c[threadIdx.x] = __hadd(x, x);
}

torch::Tensor added_to_itself(torch::Tensor A) {
    auto C = torch::empty_like(A);
    AT_DISPATCH_REDUCED_FLOATING_TYPES(A.scalar_type(), "added_to_itself", [&] {
        added_to_itself_kernel<scalar_t><<<1, A.numel()>>>(A.data_ptr<scalar_t>(), C.data_ptr<scalar_t>());
    });
    return C;
}
