// The kernel computes the index of a block's first thread as blockIdx.x * gridDim.x.
// task: transposed_matmul
// refused by: emulator, nvcc
// says: The index of a block's first thread is blockIdx.x \* blockDim.x, but line
#include <course/checks.h>

constexpr int kThreadsX = 32;  // threads of a block in x: one warp
constexpr int kThreadsY = 8;   // and in y

__global__ void transposed_matmul_kernel(const float* __restrict__ A, const float* __restrict__ B,
                                         float* __restrict__ C, int64_t M, int64_t N, int64_t K) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * gridDim.x + threadIdx.x;  // row of C
    const int64_t j = static_cast<int64_t>(blockIdx.y) * blockDim.y + threadIdx.y;  // column of C
    if (i < M && j < N) {
        float sum = 0.0f;
        for (int64_t k = 0; k < K; ++k) {
            sum += A[k * M + i] * B[j * K + k];
        }
        C[i * N + j] = sum;
    }
}

torch::Tensor transposed_matmul(torch::Tensor A, torch::Tensor B) {
    course::check_inputs({{A, "A"}, {B, "B"}}, torch::kFloat32);
    course::check_dim({A, "A"}, 2);
    course::check_shape({B, "B"}, {B.size(0), A.size(0)});
    const at::cuda::OptionalCUDAGuard guard(device_of(A));
    const int64_t K = A.size(0), M = A.size(1), N = B.size(0);
    torch::Tensor C = torch::empty({M, N}, A.options());
    if (C.numel() > 0) {
        const dim3 threads(kThreadsX, kThreadsY);
        const dim3 blocks(course::cdiv(M, kThreadsX), course::cdiv(N, kThreadsY));
        transposed_matmul_kernel<<<blocks, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
            A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N, K);
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    }
    return C;
}
