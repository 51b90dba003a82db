// CUDA's own half, by way of at::Half.
// call: half_sum(x.half(), y.half())
// gives: x.half() + y.half()
#include <torch/extension.h>
#include <cuda_fp16.h>

__global__ void half_sum_kernel(const __half* A, const __half* B, __half* C, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) C[i] = __hadd(A[i], B[i]);
}

torch::Tensor half_sum(torch::Tensor A, torch::Tensor B) {
    auto C = torch::empty_like(A);
    int n = A.numel();
    half_sum_kernel<<<(n + 255) / 256, 256>>>(reinterpret_cast<const __half*>(A.data_ptr<at::Half>()),
                                              reinterpret_cast<const __half*>(B.data_ptr<at::Half>()),
                                              reinterpret_cast<__half*>(C.data_ptr<at::Half>()), n);
    return C;
}
