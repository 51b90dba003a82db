// An asynchronous copy has a destination in global memory.
// size: 64
// launch: 1, 64
// hazard: crash
// says: copies from global to shared memory: its first argument must point
#include <cuda_pipeline.h>

__global__ void copy_to_global(const float* a, float* c, int n) {
    __pipeline_memcpy_async(&c[threadIdx.x], &a[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
}
