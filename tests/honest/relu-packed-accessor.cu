// Packed accessors with restrict pointers, in two dimensions.
// task: relu
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>

template <typename scalar_t>
__global__ void relu_kernel(const torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> input,
                            torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> output) {
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= input.size(0) || col >= input.size(1)) return;
    const scalar_t value = input[row][col];
    output[row][col] = value < scalar_t(0) ? scalar_t(0) : value;
}

torch::Tensor relu(torch::Tensor A) {
    const at::cuda::OptionalCUDAGuard device_guard(device_of(A));
    auto C = torch::empty_like(A);
    if (A.numel() == 0) return C;
    const dim3 threads(32, 8), blocks((A.size(1) + 31) / 32, (A.size(0) + 7) / 8);
    AT_DISPATCH_FLOATING_TYPES(A.scalar_type(), "relu", ([&] {
        relu_kernel<scalar_t><<<blocks, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
            A.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>(),
            C.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>());
    }));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return C;
}
