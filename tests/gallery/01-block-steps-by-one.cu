// The loop over the columns steps by 1 in every thread of the block.
// task: row_scaling_by_block
// refused by: emulator, nvcc
// says: 255 threads stored element 254 of C\. Does a loop step by 1 instead of the number of threads that share it
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void scale_rows_kernel(const float* A, const float* B, float* C, int M, int N) {
    int i = blockIdx.x;
    for (int j = threadIdx.x; j < N; ++j) {
        C[i * N + j] = A[i] * B[i * N + j];
    }
}

torch::Tensor scale_rows(torch::Tensor A, torch::Tensor B) {
    auto C = torch::empty_like(B);
    int M = B.size(0), N = B.size(1);
    if (B.numel() == 0) return C;
    scale_rows_kernel<<<M, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N);
    return C;
}
