// The wrapper copies weights from an array of the host, and reads a managed flag that the kernel sets.
// task: vector_add
#include <torch/extension.h>
#include <vector>
#include "cuda_runtime.h"
__device__ __managed__ int seen;
__global__ void add_kernel(const float* a, const float* b, const float* ones, float* c, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) c[i] = ones[i % 100] * (a[i] + b[i]);
    if (i == 0) seen = 1;
}
torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    torch::Tensor C = torch::empty_like(A);
    const int64_t n = A.numel();
    std::vector<float> ones(100, 1.0f);
    const torch::Tensor weights = torch::from_blob(ones.data(), {100}).clone().to(A.device());
    seen = 0;
    if (n > 0) {
        add_kernel<<<(n + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), weights.data_ptr<float>(),
                                             C.data_ptr<float>(), n);
        cudaDeviceSynchronize();
        TORCH_CHECK(seen == 1);
    }
    return C;
}
