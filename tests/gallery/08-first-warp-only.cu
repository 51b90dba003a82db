// The warps store their sums in shared memory, but the block uses only the first sum.
// task: softmax
// says: Only the first of the block's 8 warps is in the sum
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__inline__ __device__ float block_reduced(float x, bool maximum) {
    __shared__ float parts[32];
    for (int offset = 16; offset > 0; offset /= 2) {
        float other = __shfl_xor_sync(0xffffffff, x, offset);
        x = maximum ? fmaxf(x, other) : x + other;
    }
    __syncthreads();  // all threads have read the values of the last call
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;
    __syncthreads();
    x = parts[0];
    for (int w = 1; w < (maximum ? blockDim.x / 32 : 1); w++) {
        x = maximum ? fmaxf(x, parts[w]) : x + parts[w];
    }
    return x;
}

__global__ void softmax_kernel(const float* A, float* C, int64_t N) {
    const float* row = A + blockIdx.x * N;
    float highest = -INFINITY;
    for (int64_t j = threadIdx.x; j < N; j += blockDim.x) {
        highest = fmaxf(highest, row[j]);
    }
    highest = block_reduced(highest, true);
    float sum = 0.0f;
    for (int64_t j = threadIdx.x; j < N; j += blockDim.x) {
        sum += expf(row[j] - highest);
    }
    sum = block_reduced(sum, false);
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
