// A cudaMallocAsync temporary that a kernel fills, copied into the result in the stream's order.
// task: relu
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__global__ void relu_kernel(const float* x, float* y, int64_t n) {
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] < 0 ? 0 : x[i];
}

torch::Tensor relu(torch::Tensor A) {
    auto C = torch::empty_like(A);
    int64_t n = A.numel();
    if (n == 0) return C;
    cudaStream_t stream = at::cuda::getCurrentCUDAStream();
    float* temporary;
    TORCH_CHECK(cudaMallocAsync(&temporary, n * sizeof(float), stream) == cudaSuccess);
    relu_kernel<<<(n + 255) / 256, 256, 0, stream>>>(A.data_ptr<float>(), temporary, n);
    cudaMemcpyAsync(C.data_ptr<float>(), temporary, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    cudaFreeAsync(temporary, stream);
    return C;
}
