// dX has only its first term, as if the root of the row did not depend on the row.
// task: rms_norm_backward
// refused by: emulator, nvcc
// says: dX lacks the second term: each element also changes the root
#include <course/checks.h>

#include <cub/block/block_reduce.cuh>
#include <tuple>

constexpr int kThreads = 256, kPerThread = 16, kBlocks = 264;

__global__ void backward_kernel(const float* X, const float* W, const float* dY, float* dX, float* partials, int64_t M,
                                int N, float eps) {
    using Reduce = cub::BlockReduce<float, kThreads>;
    __shared__ typename Reduce::TempStorage storage;
    __shared__ float squared, shared;
    float dw[kPerThread] = {};
    for (int64_t row = blockIdx.x; row < M; row += gridDim.x) {
        float x[kPerThread], d[kPerThread], squares = 0, products = 0;
        for (int k = 0; k < kPerThread; ++k) {
            int j = threadIdx.x + k * kThreads;
            x[k] = j < N ? X[row * N + j] : 0;
            d[k] = j < N ? dY[row * N + j] : 0;
            squares += x[k] * x[k];
            products += j < N ? W[j] * d[k] * x[k] : 0;
        }
        squares = Reduce(storage).Sum(squares);
        __syncthreads();
        products = Reduce(storage).Sum(products);
        if (threadIdx.x == 0) {
            squared = squares;
            shared = products;
        }
        __syncthreads();
        const float r = rsqrtf(squared / N + eps);
        for (int k = 0; k < kPerThread; ++k) {
            int j = threadIdx.x + k * kThreads;
            if (j < N) dX[row * N + j] = r * W[j] * d[k];
            dw[k] += d[k] * x[k] * r;
        }
    }
    for (int k = 0; k < kPerThread; ++k) {
        int j = threadIdx.x + k * kThreads;
        if (j < N) partials[int64_t(blockIdx.x) * N + j] = dw[k];
    }
}

__global__ void column_sums_kernel(const float* partials, float* dW, int64_t rows, int64_t N) {
    int64_t j = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int64_t row = 0; j < N && row < rows; ++row) sum += partials[row * N + j];
    if (j < N) dW[j] = sum;
}

std::tuple<torch::Tensor, torch::Tensor> rms_norm_backward(torch::Tensor X, torch::Tensor W, torch::Tensor dY,
                                                           double eps) {
    course::check_inputs({{X, "X"}, {W, "W"}, {dY, "dY"}}, torch::kFloat32);
    course::check_shape({W, "W"}, {X.size(1)});
    course::check_shape({dY, "dY"}, X.sizes());
    torch::Tensor dX = torch::empty_like(X), dW = torch::zeros_like(W);
    const int64_t M = X.size(0), N = X.size(1), blocks = std::min<int64_t>(M, kBlocks);
    torch::Tensor partials = torch::empty({blocks, N}, X.options());
    if (X.numel() > 0) {
        backward_kernel<<<blocks, kThreads>>>(X.data_ptr<float>(), W.data_ptr<float>(), dY.data_ptr<float>(),
                                              dX.data_ptr<float>(), partials.data_ptr<float>(), M, N, eps);
        C10_CUDA_KERNEL_LAUNCH_CHECK();
        column_sums_kernel<<<(N + 31) / 32, 32>>>(partials.data_ptr<float>(), dW.data_ptr<float>(), blocks, N);
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    }
    return {dX, dW};
}
