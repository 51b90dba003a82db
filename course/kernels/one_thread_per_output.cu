// C = A.T @ B.T by one thread per element of C, with x along the rows of C. Notebook 04 loads this file.
#include <ATen/cuda/CUDAContext.h>
#include <course/checks.h>
#include <torch/extension.h>

constexpr int kThreadsX = 32;  // threads of a block in x: one warp
constexpr int kThreadsY = 8;   // and in y

constexpr int64_t cdiv(int64_t a, int64_t b) { return (a + b - 1) / b; }  // a / b, rounded up

__global__ void naive_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
                             int64_t M, int64_t N, int64_t K) {
    const int64_t row = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;     // of C
    const int64_t column = static_cast<int64_t>(blockIdx.y) * blockDim.y + threadIdx.y;  // of C
    if (row < M && column < N) {
        float sum = 0.0f;
        for (int64_t k = 0; k < K; ++k) {
            sum += A[k * M + row] * B[column * K + k];
        }
        C[row * N + column] = sum;
    }
}

torch::Tensor along_i(torch::Tensor A, torch::Tensor B) {
    course::check_inputs({{A, "A"}, {B, "B"}}, torch::kFloat32);
    course::check_dim({A, "A"}, 2);
    course::check_shape({B, "B"}, {B.size(0), A.size(0)});
    const at::cuda::OptionalCUDAGuard guard(device_of(A));
    const int64_t K = A.size(0), M = A.size(1), N = B.size(0);
    torch::Tensor C = torch::empty({M, N}, A.options());
    if (C.numel() == 0) {
        return C;
    }
    const dim3 threads(kThreadsX, kThreadsY);
    const dim3 blocks(cdiv(M, kThreadsX), cdiv(N, kThreadsY));
    naive_kernel<<<blocks, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
        A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N, K);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return C;
}
