// The last block of a row has no guard, and also computes elements of the next row.
// task: scaled_relu
// refused by: emulator
// hazards: out-of-bounds
// says: a kernel (read|wrote) .* past the end
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__device__ float relu(float x) { return x < 0.0f ? 0.0f : x; }

__global__ void scalar_kernel(const float* A, const float* B, float s, float* C, int M, int N) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < M * N) {
        C[e] = relu(A[e / N] * s * B[e]);
    }
}

__global__ void fused_kernel(const float* A, const float* B, float s, float* C, int fours, int chunks) {
    int row = blockIdx.x / chunks;
    int i = blockIdx.x % chunks * blockDim.x + threadIdx.x;
    {
        float scale = A[row] * s;
        float4 b = reinterpret_cast<const float4*>(B)[row * fours + i];
        float4 c = make_float4(relu(scale * b.x), relu(scale * b.y), relu(scale * b.z), relu(scale * b.w));
        reinterpret_cast<float4*>(C)[row * fours + i] = c;
    }
}

torch::Tensor scaled_relu(torch::Tensor A, torch::Tensor B, double s) {
    TORCH_CHECK(A.is_cuda() && B.is_cuda() && A.is_contiguous() && B.is_contiguous(), "A and B must be contiguous");
    TORCH_CHECK(A.dim() == 1 && B.dim() == 2 && A.size(0) == B.size(0), "A must be (M,) and B (M, N)");
    auto C = torch::empty_like(B);
    int M = B.size(0), N = B.size(1);
    if (M * N == 0) return C;
    const float *a = A.data_ptr<float>(), *b = B.data_ptr<float>();
    float* c = C.data_ptr<float>();
    if (N % 4 == 0 && reinterpret_cast<uintptr_t>(b) % 16 == 0) {
        int chunks = (N / 4 + 127) / 128;
        fused_kernel<<<M * chunks, 128>>>(a, b, s, c, N / 4, chunks);
    } else {
        scalar_kernel<<<(M * N + 127) / 128, 128>>>(a, b, s, c, M, N);
    }
    return C;
}
