// An asynchronous copy to shared memory.
// why: The copy is counted once, where it is started.
// elements: 64
// launch: 1, 64
// global load 4: 2 requests, 8 sectors, ideal 8
// shared store 4: 2 requests, 4 wavefronts, ideal 2
// shared load 4: 2 requests, 4 wavefronts, ideal 2
// global store 4: 2 requests, 8 sectors, ideal 8
#include <cuda_pipeline.h>

__global__ void asynchronous_kernel(const float* a, float* c, int n) {
    __shared__ float tile[128];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    __pipeline_memcpy_async(&tile[2 * i], &a[i], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    c[i] = tile[2 * i];
}
