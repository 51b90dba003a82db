// Scalar code for the first elements aligns the input to 16 bytes, but not the output.
// task: relu
// refused by: emulator
// hazards: misaligned
// says: a vector access to an address that is not a multiple of its size
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__device__ float relu(float x) { return x < 0.0f ? 0.0f : x; }

__global__ void relu_kernel(const float* A, float* C, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int head = (16 - reinterpret_cast<uintptr_t>(A) % 16) % 16 / 4;
    head = head < N ? head : N;
    int fours = (N - head) / 4;
    if (i < head) {
        C[i] = relu(A[i]);
    }
    if (i < fours) {
        float4 a = reinterpret_cast<const float4*>(A + head)[i];
        reinterpret_cast<float4*>(C + head)[i] = make_float4(relu(a.x), relu(a.y), relu(a.z), relu(a.w));
    }
    if (i < N - head - 4 * fours) {
        C[head + 4 * fours + i] = relu(A[head + 4 * fours + i]);
    }
}

torch::Tensor relu_forward(torch::Tensor A) {
    auto C = torch::empty_like(A);
    int N = A.numel();
    if (N == 0) return C;
    relu_kernel<<<(N + 1023) / 1024, 256>>>(A.data_ptr<float>(), C.data_ptr<float>(), N);
    return C;
}
