// The shuffles end with a step of 2 instead of 1.
// task: row_scaling_dots
// refused by: emulator, nvcc
// says: Half of the lanes .*missing from the sum: the last step of the shuffles, or of the tree, must be 1
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__device__ float warp_sum(float x) {
    for (int step = 16; step > 1; step /= 2) x += __shfl_down_sync(0xffffffff, x, step);
    return x;
}

__global__ void row_dots_kernel(const float* B, const float* dC, float* dA, int64_t N) {
    int64_t row = blockIdx.x;
    float sum = 0;
    for (int64_t j = threadIdx.x; j < N; j += 256) sum += B[row * N + j] * dC[row * N + j];
    sum = warp_sum(sum);
    __shared__ float sums[8];
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = warp_sum(threadIdx.x < 8 ? sums[threadIdx.x] : 0);
        if (threadIdx.x == 0) dA[row] = sum;
    }
}

torch::Tensor row_dots(torch::Tensor B, torch::Tensor dC) {
    TORCH_CHECK(B.is_cuda() && B.is_contiguous() && dC.is_contiguous(), "B and dC must be contiguous, on the GPU");
    auto dA = torch::empty({B.size(0)}, B.options());
    if (B.size(0) == 0) return dA;
    row_dots_kernel<<<B.size(0), 256>>>(B.data_ptr<float>(), dC.data_ptr<float>(), dA.data_ptr<float>(), B.size(1));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return dA;
}
