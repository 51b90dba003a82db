// The loop steps by gridDim.x * gridDim.x instead of the number of threads in the grid.
// task: scalar_multiply_by_stride
// refused by: emulator, nvcc
// says: The number of threads in the grid is gridDim.x \* blockDim.x, but line
#include <algorithm>

#include <ATen/cuda/CUDAContext.h>
#include <course/checks.h>

constexpr int kThreads = 256;  // threads in a block

__global__ void scale_kernel(const float* __restrict__ A, float s, float* __restrict__ C, int64_t n) {
    const int64_t step = static_cast<int64_t>(gridDim.x) * gridDim.x;  // threads of the grid
    for (int64_t e = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; e < n; e += step) {
        C[e] = A[e] * s;
    }
}

torch::Tensor scale(torch::Tensor A, double s) {
    course::check_inputs({{A, "A"}}, torch::kFloat32);
    const at::cuda::OptionalCUDAGuard guard(device_of(A));
    torch::Tensor C = torch::empty_like(A);
    const int64_t n = A.numel();
    if (n == 0) {
        return C;
    }
    const cudaDeviceProp* gpu = at::cuda::getCurrentDeviceProperties();
    // Blocks that the GPU can run at the same time, if nothing but their threads limits them.
    const int64_t resident =
        static_cast<int64_t>(gpu->multiProcessorCount) * gpu->maxThreadsPerMultiProcessor / kThreads;
    const int64_t blocks = std::min(course::cdiv(n, kThreads), resident);
    scale_kernel<<<blocks, kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
        A.data_ptr<float>(), static_cast<float>(s), C.data_ptr<float>(), n);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return C;
}
