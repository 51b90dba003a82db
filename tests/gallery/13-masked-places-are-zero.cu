// The places past the end of the row are 0, which counts in the maximum and in the sum.
// task: softmax_by_warp
// refused by: emulator, nvcc
// says: the tile must have -INFINITY, whose exponential is 0. These are the values if it has 0 there

#include <course/checks.h>

constexpr int kWarp = 32;                // threads in a warp
constexpr int kTile = 1024;              // BLOCK: the most elements in a row
constexpr int kEach = kTile / kWarp;     // places of the tile that a lane keeps in registers
constexpr int kWarps = 4;                // rows in a block, one for each warp
constexpr unsigned kAll = 0xffffffffu;   // every lane of a warp

__global__ void softmax_kernel(const float* __restrict__ X, float* __restrict__ Y, int64_t M, int N) {
    const int lane = threadIdx.x % kWarp;
    const int64_t row = static_cast<int64_t>(blockIdx.x) * kWarps + threadIdx.x / kWarp;  // tl.program_id(0)
    if (row >= M) {
        return;  // all lanes of the warp
    }
    float x[kEach];
    float highest = -INFINITY, sum = 0.0f;
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
        const int j = k * kWarp + lane;
        x[k] = j < N ? X[row * N + j] : 0.0f;
        highest = fmaxf(highest, x[k]);
    }
    for (int offset = kWarp / 2; offset > 0; offset /= 2) {
        highest = fmaxf(highest, __shfl_xor_sync(kAll, highest, offset));
    }
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
        x[k] = expf(x[k] - highest);
        sum += x[k];
    }
    for (int offset = kWarp / 2; offset > 0; offset /= 2) {
        sum += __shfl_xor_sync(kAll, sum, offset);
    }
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
        const int j = k * kWarp + lane;
        if (j < N) {
            Y[row * N + j] = x[k] / sum;
        }
    }
}

// X is (M, N), and N at most 1024.
torch::Tensor softmax(torch::Tensor X) {
    course::check_inputs({{X, "X"}}, torch::kFloat32);
    course::check_dim({X, "X"}, 2);
    TORCH_CHECK(X.size(1) <= kTile, "X must have rows of at most ", kTile, " elements");
    const at::cuda::OptionalCUDAGuard guard(device_of(X));
    torch::Tensor Y = torch::empty_like(X);
    const int64_t M = X.size(0);
    if (X.numel() > 0) {
        softmax_kernel<<<course::cdiv(M, kWarps), kWarps * kWarp, 0, at::cuda::getCurrentCUDAStream()>>>(
            X.data_ptr<float>(), Y.data_ptr<float>(), M, X.size(1));
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    }
    return Y;
}
