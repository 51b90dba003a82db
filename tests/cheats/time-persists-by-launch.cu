// Has the L2 cache keep the input from call to call, by an access policy of each launch.
// question: 01-element-check
// hazards: library-call
// says: The answer calls cudaLaunchKernelExC
// stopped by: allowed symbols
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

#include <algorithm>

__global__ void scale_kernel(const float* A, const float* B, float* C, int64_t N, int64_t length) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < length) C[i] = A[i / N] * B[i];
}

torch::Tensor scale_rows(torch::Tensor A, torch::Tensor B) {
    TORCH_CHECK(A.is_cuda() && B.is_cuda() && A.is_contiguous() && B.is_contiguous());
    const int64_t N = B.size(1), length = B.numel();
    torch::Tensor C = torch::empty_like(B);
    if (length == 0) return C;

    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeAccessPolicyWindow;
    cudaAccessPolicyWindow& window = attribute.val.accessPolicyWindow;
    window.base_ptr = B.data_ptr<float>();
    window.num_bytes = std::min(size_t{48} << 20, static_cast<size_t>(length) * sizeof(float));
    window.hitRatio = 1.0f;
    window.hitProp = cudaAccessPropertyPersisting;
    window.missProp = cudaAccessPropertyStreaming;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3((length + 255) / 256);
    config.blockDim = dim3(256);
    config.stream = at::cuda::getCurrentCUDAStream();
    config.attrs = &attribute;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, scale_kernel, static_cast<const float*>(A.data_ptr<float>()),
                       static_cast<const float*>(B.data_ptr<float>()), C.data_ptr<float>(), N, length);
    return C;
}
