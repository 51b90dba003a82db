// 64 floats in reverse order by way of shared memory; every fourth float of the result.
#include <torch/extension.h>

__global__ void reverse_kernel(const float* A, float* C) {
    __shared__ float tile[64];
    tile[threadIdx.x] = A[threadIdx.x];
    __syncthreads();
    C[4 * threadIdx.x] = tile[63 - threadIdx.x];
}

torch::Tensor reverse(torch::Tensor A) {
    auto C = torch::zeros({256}, A.options());
    reverse_kernel<<<1, 64>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
