// The private histogram is not set to 0.
// task: histogram_private
// refused by: emulator
// hazards: uninitialised-read
// says: reads the shared array own where nothing was written before
#include <algorithm>

#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void histogram_kernel(const int64_t* X, int64_t* counts, int64_t N) {
    __shared__ int own[256];
    int t = threadIdx.x;
    for (int64_t i = blockIdx.x * 256 + t; i < N; i += gridDim.x * 256) atomicAdd(&own[X[i]], 1);
    __syncthreads();
    atomicAdd((unsigned long long*)&counts[t], (unsigned long long)own[t]);
}

torch::Tensor histogram(torch::Tensor X) {
    TORCH_CHECK(X.is_cuda() && X.is_contiguous() && X.scalar_type() == torch::kInt64, "X must be int64, contiguous, on the GPU");
    auto counts = torch::zeros({256}, X.options());
    int64_t N = X.numel();
    if (N == 0) return counts;
    histogram_kernel<<<std::min<int64_t>((N + 4095) / 4096, 1056), 256>>>(X.data_ptr<int64_t>(), counts.data_ptr<int64_t>(), N);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return counts;
}
