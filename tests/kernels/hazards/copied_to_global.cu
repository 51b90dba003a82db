// An asynchronous copy has a destination in global memory.
// size: 64
// hazard: crash
// says: copies from global to shared memory: its first argument must point
#include <cuda_pipeline.h>

__global__ void copy_to_global(const float* a, float* c) {
    __pipeline_memcpy_async(&c[threadIdx.x], &a[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
}

torch::Tensor copied_to_global(torch::Tensor A) {
    auto C = torch::empty_like(A);
    copy_to_global<<<1, 64>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
