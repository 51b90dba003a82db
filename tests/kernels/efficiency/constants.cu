// Loads of constant memory do not count for global memory, unless a kernel has written to it.
#include <torch/extension.h>
__constant__ float weights[32], others[32];
__constant__ const int factor = 3;
__device__ float table[32];
__device__ float value(const float* from, int i) { return from[i]; }
__global__ void weighted(const float* a, float* c) {
    const int i = threadIdx.x;
    c[i] = value(a, i) * value(weights, i) * others[0] * factor;  // only the loads of `a` count
}
__global__ void fill(float* to) { to[threadIdx.x] = 1; }
__global__ void reads(float* c) { c[threadIdx.x] += weights[threadIdx.x] + table[threadIdx.x]; }
torch::Tensor constants(torch::Tensor A) {
    auto C = torch::empty_like(A);
    cudaMemcpyToSymbol(weights, A.data_ptr<float>(), 128, 0, cudaMemcpyDeviceToDevice);
    weighted<<<1, 32>>>(A.data_ptr<float>(), C.data_ptr<float>());
    float* address;
    cudaGetSymbolAddress(reinterpret_cast<void**>(&address), weights);
    fill<<<1, 32>>>(address);
    reads<<<1, 32>>>(C.data_ptr<float>());
    return C;
}
