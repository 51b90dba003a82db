// A thread stores where its own asynchronous copy is in flight.
// size: 64
// launch: 1, 64
// hazard: race
// where: early-store 0, copy 0
// says: line {early-store} .* writes what line {copy} .* writes \(asynchronously\) before waiting for the copy
#include <cuda_pipeline.h>

__global__ void store_in_flight(const float* a, float* c, int n) {
    __shared__ float tile[64];
    __pipeline_memcpy_async(&tile[threadIdx.x], &a[threadIdx.x], 4);  // copy
    tile[threadIdx.x] = 0.0f;                                         // early-store
    c[threadIdx.x] = a[threadIdx.x];
}
