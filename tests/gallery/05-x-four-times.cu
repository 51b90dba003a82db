// All four elements of the stored float4 are .x.
// task: relu_fours
// refused by: emulator, nvcc
// says: four elements holds its first element four times: only .x was stored
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__device__ float relu(float x) { return x < 0.0f ? 0.0f : x; }

__global__ void relu_kernel(const float* A, float* C, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N / 4) {
        float4 a = reinterpret_cast<const float4*>(A)[i];
        reinterpret_cast<float4*>(C)[i] = make_float4(relu(a.x), relu(a.x), relu(a.x), relu(a.x));
    }
}

torch::Tensor relu_forward(torch::Tensor A) {
    auto C = torch::empty_like(A);
    int N = A.numel();
    if (N == 0) return C;
    relu_kernel<<<(N / 4 + 255) / 256, 256>>>(A.data_ptr<float>(), C.data_ptr<float>(), N);
    return C;
}
