// The sum of the exponentials is not rescaled when a larger maximum is found.
// task: softmax
// says: The sum is not rescaled when the maximum grows
#include <cfloat>

#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void softmax_kernel(const float* A, float* C, int64_t N) {
    __shared__ float maxima[32], sums[32];
    const float* row = A + blockIdx.x * N;
    float highest = -FLT_MAX, sum = 0.0f;
    for (int64_t j = threadIdx.x; j < N; j += blockDim.x) {
        float max = fmaxf(highest, row[j]);
        sum += expf(row[j] - max);
        highest = max;
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        float other_max = __shfl_xor_sync(0xffffffff, highest, offset);
        float other_sum = __shfl_xor_sync(0xffffffff, sum, offset);
        float max = fmaxf(highest, other_max);
        sum = sum * expf(highest - max) + other_sum * expf(other_max - max);
        highest = max;
    }
    if (threadIdx.x % 32 == 0) {
        maxima[threadIdx.x / 32] = highest;
        sums[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    highest = maxima[0], sum = sums[0];
    for (int w = 1; w < blockDim.x / 32; w++) {
        float max = fmaxf(highest, maxima[w]);
        sum = sum * expf(highest - max) + sums[w] * expf(maxima[w] - max);
        highest = max;
    }
    for (int64_t j = threadIdx.x; j < N; j += blockDim.x) {
        C[blockIdx.x * N + j] = expf(row[j] - highest) / sum;
    }
}

torch::Tensor softmax(torch::Tensor A) {
    TORCH_CHECK(A.is_cuda() && A.is_contiguous() && A.dim() == 2, "A must be a contiguous matrix on the GPU");
    auto C = torch::empty_like(A);
    if (A.numel() == 0) return C;
    softmax_kernel<<<A.size(0), 256>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.size(1));
    return C;
}
