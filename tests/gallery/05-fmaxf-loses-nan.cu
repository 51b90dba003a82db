// fmaxf treats NaN as a missing number, so NaN becomes 0.
// task: relu
// says: NaN became 0: fmaxf\(x, 0\) returns the operand that is a number
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void relu_kernel(const float* A, float* C, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        C[i] = fmaxf(A[i], 0.0f);
    }
}

torch::Tensor relu_forward(torch::Tensor A) {
    auto C = torch::empty_like(A);
    int N = A.numel();
    if (N == 0) return C;
    relu_kernel<<<(N + 255) / 256, 256>>>(A.data_ptr<float>(), C.data_ptr<float>(), N);
    return C;
}
