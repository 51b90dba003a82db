// A tile is read while an asynchronous copy into it is in flight.
// size: 128
// launch: 1, 64
// hazard: race
// where: read-in-flight 62, in-flight 1
// says: what line {in-flight} .* writes \(asynchronously\) before waiting for the copy.* the wait and the next use
#include <cuda_pipeline.h>

__global__ void reverse_in_flight(const float* a, float* c, int n) {
    __shared__ float tile[64];
    __pipeline_memcpy_async(&tile[threadIdx.x], &a[threadIdx.x], 4);
    for (int from = 0; from < n; from += 64) {
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        if (from + 64 < n)
            __pipeline_memcpy_async(&tile[threadIdx.x], &a[from + 64 + threadIdx.x], 4);  // in-flight
        __syncthreads();
        c[from + threadIdx.x] = tile[63 - threadIdx.x];  // read-in-flight
        __syncthreads();
    }
}
