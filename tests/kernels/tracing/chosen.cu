// Kernels that are launched through pointers to them.
#include <torch/extension.h>

__global__ void fill(float* out) { out[threadIdx.x] = 1.0f; }
__global__ void twice(float* doubled) { doubled[threadIdx.x] += doubled[threadIdx.x]; }
torch::Tensor chosen(torch::Tensor A, bool fills) {
    const auto kernel = fills ? fill : twice;
    kernel<<<1, 32>>>(A.data_ptr<float>());
    void (*const kernels[])(float*) = {fill, twice};
    kernels[fills]<<<1, 32>>>(A.data_ptr<float>());
    return A;
}

__global__ void later(float* out) {}
