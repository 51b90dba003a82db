// No thread computes the elements past the last multiple of 4, which belong to no float4.
// task: relu_aligned
// says: Every element past the last multiple of 4 was never written: the tail needs code of its own
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__device__ float relu(float x) { return x < 0.0f ? 0.0f : x; }

__global__ void relu_kernel(const float* A, float* C, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N / 4) {
        float4 a = reinterpret_cast<const float4*>(A)[i];
        reinterpret_cast<float4*>(C)[i] = make_float4(relu(a.x), relu(a.y), relu(a.z), relu(a.w));
    }
}

torch::Tensor relu_forward(torch::Tensor A) {
    auto C = torch::empty_like(A);
    int N = A.numel();
    if (N == 0) return C;
    relu_kernel<<<(N + 1023) / 1024, 256>>>(A.data_ptr<float>(), C.data_ptr<float>(), N);
    return C;
}
