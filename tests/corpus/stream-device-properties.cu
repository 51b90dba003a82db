// A grid as large as the device.
// call: by_device(x)
// gives: x + 1
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__global__ void by_device_kernel(const float* A, float* C, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) C[i] = A[i] + 1.0f;
}

torch::Tensor by_device(torch::Tensor A) {
    auto C = torch::empty_like(A);
    const auto* properties = at::cuda::getCurrentDeviceProperties();
    TORCH_CHECK(properties->warpSize == 32);
    by_device_kernel<<<properties->multiProcessorCount, properties->maxThreadsPerBlock / 4>>>(
        A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
