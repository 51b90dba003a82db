// The loop and the number of blocks of PyTorch's own kernels.
// call: doubled_by_loop(x)
// gives: x * 2
#include <torch/extension.h>
#include <ATen/cuda/Exceptions.h>
#include <ATen/cuda/detail/KernelUtils.h>

__global__ void doubled_by_loop_kernel(const float* x, float* y, int n) {
    CUDA_KERNEL_LOOP(i, n) { y[i] = 2 * x[i]; }
}

torch::Tensor doubled_by_loop(torch::Tensor x) {
    auto y = torch::empty_like(x);
    const int blocks = at::cuda::detail::GET_BLOCKS(x.numel(), 256);
    doubled_by_loop_kernel<<<blocks, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
    AT_CUDA_CHECK(cudaGetLastError());
    return y;
}
