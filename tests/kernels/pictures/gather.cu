// Loads of one element of 4, 8 or 16 bytes per lane from global and shared memory, with indices from a table.
#include <torch/extension.h>
template <class T>
__global__ void gather(const T* A, const int* at, T* C) {
    __shared__ T tile[128];
    for (int i = threadIdx.x; i < 128; i += 32) tile[i] = A[i];
    __syncthreads();
    const int i = at[threadIdx.x];
    if (i >= 0) C[threadIdx.x] = tile[i];
    if (i >= 0) C[threadIdx.x] = A[i];
}
torch::Tensor gathered(torch::Tensor A, torch::Tensor at, int64_t bytes) {
    auto C = torch::zeros({128}, A.options());
    const int* table = at.data_ptr<int>();
    float *a = A.data_ptr<float>(), *c = C.data_ptr<float>();
    if (bytes == 4) gather<<<1, 32>>>(a, table, c);
    if (bytes == 8) gather<<<1, 32>>>((const float2*)a, table, (float2*)c);
    if (bytes == 16) gather<<<1, 32>>>((const float4*)a, table, (float4*)c);
    return C;
}
