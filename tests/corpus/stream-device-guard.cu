// The input's device is made the current one.
// call: guarded(A)
// gives: A - 3
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>

__global__ void guarded_kernel(const float* A, float* C) { C[threadIdx.x] = A[threadIdx.x] - 3.0f; }

torch::Tensor guarded(torch::Tensor A) {
    const at::cuda::OptionalCUDAGuard device_guard(device_of(A));
    const c10::cuda::CUDAGuard again(A.device());
    auto C = torch::empty_like(A);
    cudaStream_t stream = at::cuda::getCurrentCUDAStream().stream();
    guarded_kernel<<<1, A.numel(), 0, stream>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
