// eps is added to the root, not to the mean under the root.
// task: rms_norm
// refused by: emulator, nvcc
// says: eps is added outside of the root: it belongs to the mean
#include <course/checks.h>

#include <cub/block/block_reduce.cuh>

constexpr int kThreads = 256, kPerThread = 16;

__global__ void norm_kernel(const float* X, const float* W, float* Y, int N, float eps) {
    using Reduce = cub::BlockReduce<float, kThreads>;
    __shared__ typename Reduce::TempStorage storage;
    __shared__ float total;
    const int64_t start = int64_t(blockIdx.x) * N;
    float x[kPerThread], squares = 0;
    for (int k = 0; k < kPerThread; ++k) {
        int j = threadIdx.x + k * kThreads;
        x[k] = j < N ? X[start + j] : 0;
        squares += x[k] * x[k];
    }
    squares = Reduce(storage).Sum(squares);
    if (threadIdx.x == 0) total = squares;
    __syncthreads();
    const float r = 1 / (sqrtf(total / N) + eps);
    for (int k = 0; k < kPerThread; ++k) {
        int j = threadIdx.x + k * kThreads;
        if (j < N) Y[start + j] = x[k] * r * W[j];
    }
}

torch::Tensor rms_norm(torch::Tensor X, torch::Tensor W, double eps) {
    course::check_inputs({{X, "X"}, {W, "W"}}, torch::kFloat32);
    course::check_shape({W, "W"}, {X.size(1)});
    torch::Tensor Y = torch::empty_like(X);
    if (X.numel() > 0) {
        norm_kernel<<<X.size(0), kThreads>>>(X.data_ptr<float>(), W.data_ptr<float>(), Y.data_ptr<float>(), X.size(1), eps);
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    }
    return Y;
}
