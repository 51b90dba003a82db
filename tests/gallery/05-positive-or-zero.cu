// A comparison with NaN is false, so x > 0 ? x : 0 turns NaN into 0.
// task: relu_aligned
// refused by: emulator, nvcc
// says: NaN became 0: .* x > 0 is false for NaN
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void relu_kernel(const float* A, float* C, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N / 4) {
        float4 a = reinterpret_cast<const float4*>(A)[i];
        a.x = a.x > 0.0f ? a.x : 0.0f;
        a.y = a.y > 0.0f ? a.y : 0.0f;
        a.z = a.z > 0.0f ? a.z : 0.0f;
        a.w = a.w > 0.0f ? a.w : 0.0f;
        reinterpret_cast<float4*>(C)[i] = a;
    }
}

torch::Tensor relu_forward(torch::Tensor A) {
    auto C = torch::empty_like(A);
    int N = A.numel();
    if (N == 0) return C;
    relu_kernel<<<(N / 4 + 255) / 256, 256>>>(A.data_ptr<float>(), C.data_ptr<float>(), N);
    return C;
}
