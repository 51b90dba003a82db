// C = A + B, with the checks of the course's own header.
#include <ATen/cuda/CUDAContext.h>
#include <course/checks.h>
#include <torch/extension.h>

__global__ void add_kernel(const float* A, const float* B, float* C, int64_t N) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < N) C[i] = A[i] + B[i];
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    course::check_inputs({{A, "A"}, {B, "B"}}, torch::kFloat32);
    course::check_shape({B, "B"}, A.sizes());
    const at::cuda::OptionalCUDAGuard guard(device_of(A));
    torch::Tensor C = torch::empty_like(A);
    const int64_t N = A.numel();
    if (N == 0) return C;
    add_kernel<<<(N + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), N);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return C;
}
