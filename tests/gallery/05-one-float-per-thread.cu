// Each thread loads one float, but the question asks for one float4.
// task: relu_fours
// refused by: emulator, nvcc
// says: Line \d+ .* requests the most, .* Let each thread access 16 bytes at once, as a float4
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__device__ float relu(float x) { return x < 0.0f ? 0.0f : x; }

__global__ void relu_kernel(const float* A, float* C, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        C[i] = relu(A[i]);
    }
}

torch::Tensor relu_forward(torch::Tensor A) {
    auto C = torch::empty_like(A);
    int N = A.numel();
    if (N == 0) return C;
    relu_kernel<<<(N + 127) / 128, 128>>>(A.data_ptr<float>(), C.data_ptr<float>(), N);
    return C;
}
