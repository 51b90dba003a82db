// The module would fill the disk.
// answer: 00-add
// says: The compiler ran into a limit \(.*\): look for an array, a macro, a template or an included file that is far too large
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>
char table[1ull << 40] = {1};

__global__ void add_kernel(const float* A, const float* B, float* C, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        C[i] = A[i] + B[i];
    }
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    auto C = torch::empty_like(A);
    int N = A.numel();
    if (N == 0) return C;
    add_kernel<<<(N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), N);
    return C;
}
