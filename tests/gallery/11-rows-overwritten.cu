// A row of dC replaces a row of dW instead of being added to it.
// task: embedding_backward
// refused by: emulator
// hazards: race
// says: several threads change it in line \d+ .* blocks run in no fixed order: give each element to one thread, or use atomicAdd
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void embedding_backward_kernel(const float* dC, const int64_t* X, float* dW, int64_t D) {
    for (int64_t j = threadIdx.x; j < D; j += 256) {
        dW[X[blockIdx.x] * D + j] = dC[blockIdx.x * D + j];
    }
}

torch::Tensor embedding_backward(torch::Tensor dC, torch::Tensor X, int64_t V) {
    TORCH_CHECK(dC.is_cuda() && X.is_cuda() && dC.is_contiguous() && X.is_contiguous(), "dC and X must be contiguous, on the GPU");
    TORCH_CHECK(dC.scalar_type() == torch::kFloat32 && X.scalar_type() == torch::kInt64, "dC must be float32, X int64");
    TORCH_CHECK(X.numel() == dC.size(0), "one row of dC for each element of X");
    auto dW = torch::zeros({V, dC.size(1)}, dC.options());
    if (dC.numel() == 0) return dW;
    embedding_backward_kernel<<<dC.size(0), 256>>>(dC.data_ptr<float>(), X.data_ptr<int64_t>(), dW.data_ptr<float>(), dC.size(1));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return dW;
}
