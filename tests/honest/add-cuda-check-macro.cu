// The error macro of CUDA samples: fprintf to stderr, then exit.
// task: vector_add
#include <torch/extension.h>
#include <cstdio>
#include <cstdlib>

#define CUDA_CHECK(call)                                                                              \
    do {                                                                                              \
        cudaError_t err__ = (call);                                                                   \
        if (err__ != cudaSuccess) {                                                                   \
            fprintf(stderr, "CUDA error at %s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(err__)); \
            exit(EXIT_FAILURE);                                                                       \
        }                                                                                             \
    } while (0)

__global__ void vecAdd(float *a, float *b, float *c, int n)
{
    int id = blockIdx.x*blockDim.x+threadIdx.x;
    if (id < n)
        c[id] = a[id] + b[id];
}

torch::Tensor add(torch::Tensor A, torch::Tensor B)
{
    torch::Tensor C = torch::empty_like(A);
    int n = (int)A.numel();
    int blockSize = 1024;
    int gridSize = (int)ceil((float)n/blockSize);
    if (gridSize == 0) return C;
    vecAdd<<<gridSize, blockSize>>>((float*)A.data_ptr(), (float*)B.data_ptr(), (float*)C.data_ptr(), n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    return C;
}
