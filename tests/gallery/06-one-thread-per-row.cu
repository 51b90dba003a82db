// One thread adds up each row, so neighbouring threads read addresses that are a row apart.
// task: row_scaling_dots_few_sectors
// says: Let neighbouring threads of a warp access neighbouring elements
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void row_dots_kernel(const float* B, const float* dC, float* dA, int64_t M, int64_t N) {
    int64_t row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M) return;
    float sum = 0;
    for (int64_t j = 0; j < N; j++) sum += B[row * N + j] * dC[row * N + j];
    dA[row] = sum;
}

torch::Tensor row_dots(torch::Tensor B, torch::Tensor dC) {
    TORCH_CHECK(B.is_cuda() && B.is_contiguous() && dC.is_contiguous(), "B and dC must be contiguous, on the GPU");
    auto dA = torch::empty({B.size(0)}, B.options());
    if (B.size(0) == 0) return dA;
    row_dots_kernel<<<B.size(0) / 256 + 1, 256>>>(B.data_ptr<float>(), dC.data_ptr<float>(), dA.data_ptr<float>(), B.size(0), B.size(1));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return dA;
}
