// Each thread loads a float4 at its own element, so three of four addresses are not aligned.
// task: relu_fours
// refused by: emulator
// hazards: misaligned
// says: a vector access to an address that is not a multiple of its size
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__device__ float relu(float x) { return x < 0.0f ? 0.0f : x; }

__global__ void relu_kernel(const float* A, float* C, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 3 < N) {
        float4 a = *reinterpret_cast<const float4*>(A + i);
        *reinterpret_cast<float4*>(C + i) = make_float4(relu(a.x), relu(a.y), relu(a.z), relu(a.w));
    }
}

torch::Tensor relu_forward(torch::Tensor A) {
    auto C = torch::empty_like(A);
    int N = A.numel();
    if (N == 0) return C;
    relu_kernel<<<(N + 255) / 256, 256>>>(A.data_ptr<float>(), C.data_ptr<float>(), N);
    return C;
}
