// A is read as if it were contiguous, but the wrapper checks only that B is contiguous.
// task: scaled_relu
// refused by: emulator, nvcc
// says: must refuse them: check every input's is_contiguous\(\) with TORCH_CHECK
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__device__ float relu(float x) { return x < 0.0f ? 0.0f : x; }

__global__ void fused_kernel(const float* A, const float* B, float s, float* C, int M, int N) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < M * N) {
        C[e] = relu(A[e / N] * B[e] * s);
    }
}

torch::Tensor scaled_relu(torch::Tensor A, torch::Tensor B, double s) {
    TORCH_CHECK(A.is_cuda() && B.is_cuda() && B.is_contiguous(),
                "A and B must be on the GPU, and B contiguous");
    TORCH_CHECK(A.dim() == 1 && B.dim() == 2 && A.size(0) == B.size(0), "A must be (M,) and B (M, N)");
    auto C = torch::empty_like(B);
    int M = B.size(0), N = B.size(1);
    if (M * N == 0) return C;
    fused_kernel<<<(M * N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), s,
                                               C.data_ptr<float>(), M, N);
    return C;
}
