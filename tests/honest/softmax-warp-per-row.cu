// One warp per row, with shuffles for the maximum and the sum.
// task: softmax
#include <torch/extension.h>
#include <cmath>

__device__ float warp_max(float x) {
    for (int mask = 16; mask > 0; mask >>= 1) {
        const float other = __shfl_xor_sync(0xffffffff, x, mask);
        x = (x < other || isnan(other)) ? other : x;
    }
    return x;
}
__device__ float warp_sum(float x) {
    for (int mask = 16; mask > 0; mask >>= 1) x += __shfl_xor_sync(0xffffffff, x, mask);
    return x;
}

__global__ void softmax_kernel(const float* A, float* C, int M, int N) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= M) return;
    const float* a = A + static_cast<int64_t>(row) * N;
    float* c = C + static_cast<int64_t>(row) * N;
    float largest = -INFINITY;
    for (int j = lane; j < N; j += 32) largest = (a[j] > largest || isnan(a[j])) ? a[j] : largest;
    largest = warp_max(largest);
    float sum = 0;
    for (int j = lane; j < N; j += 32) sum += expf(a[j] - largest);
    sum = warp_sum(sum);
    for (int j = lane; j < N; j += 32) c[j] = expf(a[j] - largest) / sum;
}

torch::Tensor softmax(torch::Tensor A) {
    TORCH_CHECK(A.is_cuda() && A.is_contiguous() && A.dtype() == torch::kFloat32 && A.dim() == 2, "bad input");
    auto C = torch::empty_like(A);
    const int M = A.size(0), N = A.size(1);
    if (A.numel()) softmax_kernel<<<(M + 3) / 4, dim3(32, 4)>>>(A.data_ptr<float>(), C.data_ptr<float>(), M, N);
    return C;
}
