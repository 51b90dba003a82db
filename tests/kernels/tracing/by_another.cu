// A kernel that makes its accesses through an operator of the headers, which swaps two words.
#include <torch/extension.h>

#include <cstring>

using Exchange = void* (*)(void*, void*);
__device__ Exchange exchange;
__global__ void reversed(double* out) {
    __shared__ double tile[32];
    double mine = threadIdx.x, other = 0.0;
    exchange(tile + threadIdx.x, &mine);
    exchange(tile + 31 - threadIdx.x, &other);
    out[threadIdx.x] = other;
}

torch::Tensor f(torch::Tensor A) {
    at::Tensor& (at::Tensor::*assign)(at::Tensor) noexcept = &at::Tensor::operator=;
    memcpy(&exchange, &assign, sizeof exchange);  // its first word is the address of the function
    reversed<<<1, 32>>>(A.data_ptr<double>());
    return A;
}
