// The kernel writes the result over the input, and the wrapper returns the input.
// task: relu_aligned
// hazards: modified-input
// says: A was changed by the call: an answer must not change its inputs
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__device__ float relu(float x) { return x < 0.0f ? 0.0f : x; }

__global__ void relu_kernel(float* A, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N / 4) {
        float4 a = reinterpret_cast<float4*>(A)[i];
        reinterpret_cast<float4*>(A)[i] = make_float4(relu(a.x), relu(a.y), relu(a.z), relu(a.w));
    }
    if (i < N % 4) A[N - 1 - i] = relu(A[N - 1 - i]);
}

torch::Tensor relu_forward(torch::Tensor A) {
    int N = A.numel();
    if (N == 0) return A;
    relu_kernel<<<(N + 1023) / 1024, 256>>>(A.data_ptr<float>(), N);
    return A;
}
