// An asynchronous copy starts while other threads still read its destination.
// size: 128
// launch: 1, 64
// hazard: race
// where: copied-too-early 0, copied-over 63
// says: line {copied-too-early} .* writes \(asynchronously\).* between the last use of that memory and the copy
#include <cuda_pipeline.h>

__global__ void reverse_two_pieces(const float* a, float* c, int n) {
    __shared__ float tile[64];
    const int back = 63 - threadIdx.x;
    __pipeline_memcpy_async(&tile[threadIdx.x], &a[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    __pipeline_memcpy_async(&tile[threadIdx.x], &a[64 + threadIdx.x], 4);  // copied-too-early
    __pipeline_commit();
    c[back] = tile[back];  // copied-over
    __syncthreads();
    __pipeline_wait_prior(0);
    __syncthreads();
    c[64 + threadIdx.x] = tile[back];
}
