// dB is computed from B, as in the forward pass.
// task: row_scaling_backward
// says: dB is A\[row\] \* B: dC is not used
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__device__ float warp_sum(float x) {
    for (int step = 16; step > 0; step /= 2) x += __shfl_down_sync(0xffffffff, x, step);
    return x;
}

__global__ void backward_kernel(const float* A, const float* B, const float* dC, float* dA, float* dB, int64_t N) {
    int64_t row = blockIdx.x;
    float sum = 0;
    for (int64_t j = threadIdx.x; j < N; j += 256) {
        sum += B[row * N + j] * dC[row * N + j];
        dB[row * N + j] = A[row] * B[row * N + j];
    }
    sum = warp_sum(sum);
    __shared__ float sums[8];
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = warp_sum(threadIdx.x < 8 ? sums[threadIdx.x] : 0);
        if (threadIdx.x == 0) dA[row] = sum;
    }
}

std::tuple<torch::Tensor, torch::Tensor> backward(torch::Tensor A, torch::Tensor B, torch::Tensor dC) {
    TORCH_CHECK(B.is_cuda() && B.is_contiguous() && dC.is_contiguous(), "B and dC must be contiguous, on the GPU");
    auto dA = torch::empty_like(A), dB = torch::empty_like(B);
    if (B.size(0) == 0) return {dA, dB};
    backward_kernel<<<B.size(0), 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), dC.data_ptr<float>(),
                                        dA.data_ptr<float>(), dB.data_ptr<float>(), B.size(1));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return {dA, dB};
}
