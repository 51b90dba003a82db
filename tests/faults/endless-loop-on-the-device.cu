// A loop of the kernel never ends.
// answer: 00-add
// says: (ran for more than \d+ s: an endless loop|Nothing came back within \d+ s.*: look for a loop that never ends)
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void add_kernel(const float* A, const float* B, float* C, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float sum = A[i];
        for (int k = 0; k >= 0; k = (k + 1) % 1024) sum += B[i];
        C[i] = sum;
    }
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    auto C = torch::empty_like(A);
    int N = A.numel();
    if (N == 0) return C;
    add_kernel<<<(N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), N);
    return C;
}
