// A kernel and a wrapper of the usual kind, which need few headers.
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

#include <algorithm>
#if defined(_GLIBCXX_STRING) || defined(_GLIBCXX_VECTOR) || defined(_GLIBCXX_TR1_GAMMA_TCC)
#error "more than a plain kernel needs"
#endif
template <class T>
__global__ void k(const T* a, T* b) {
    b[threadIdx.x] = std::max(std::min(a[0], T(1)), std::numeric_limits<T>::lowest());
}

std::tuple<torch::Tensor, std::optional<int64_t>> f(torch::Tensor A, std::optional<double> s, int64_t n) {
    TORCH_CHECK(A.is_cuda(), "A is on ", A.device(), ", of ", A.sizes(), A.scalar_type(), A.dtype(), n, 1.5,
                true);
    TORCH_CHECK_EQ(A.size(0), n);
    TORCH_CHECK_INDEX(n >= 0 && s != std::nullopt);
    if (n > 9) TORCH_WARN("many: ", n);
    torch::Tensor B =
        torch::zeros({2, 3}, A.options().device(torch::Device("cuda:0"))).view({-1}).slice(0, 1, 3);
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(A.scalar_type(), "f", [&] {
        k<<<1, 1, 0, at::cuda::getCurrentCUDAStream()>>>(A.data_ptr<scalar_t>(), B.data_ptr<scalar_t>());
    });
    try {
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    } catch (const std::exception& e) {
        printf("%s\n", e.what());
    }
    auto [rows, columns] = std::pair(A.size(0), A.size(1));
    return {B, errno + rows + columns};
}
