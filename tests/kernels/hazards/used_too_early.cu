// A tile that other threads copied is read without a barrier after the wait.
// size: 128
// launch: 1, 64
// hazard: race
// where: early-use 62, late-copy 1
// says: line {early-use} .* reads what line {late-copy} .* writes \(asynchronously\) before waiting for the copy
#include <cuda_pipeline.h>

__global__ void reverse_two_tiles(const float* a, float* c, int n) {
    __shared__ float tile[2][64];
    const int back = 63 - threadIdx.x;
    __pipeline_memcpy_async(&tile[0][threadIdx.x], &a[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    __pipeline_memcpy_async(&tile[1][threadIdx.x], &a[64 + threadIdx.x], 4);  // late-copy
    __pipeline_commit();
    c[back] = tile[0][back];
    __syncthreads();
    __pipeline_wait_prior(0);
    c[64 + threadIdx.x] = tile[1][back];  // early-use
}
