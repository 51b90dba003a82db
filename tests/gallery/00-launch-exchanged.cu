// The number of blocks and the number of threads per block are exchanged in the launch.
// task: vector_add_by_element
// refused by: remark
// says: The launch had 256 blocks of \d+ threads, .* are the two exchanged in <<<blocks, threads>>>
// first attempt: 00 vector add, passes
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

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
    add_kernel<<<256, (N + 255) / 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), N);
    return C;
}
