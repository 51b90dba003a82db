// The type __half, every other one loaded.
// why: 32 halves, every other of 128 bytes; packed they would fill 64 bytes.
// elements: 64
// launch: 1, 64
// global load 2: 2 requests, 8 sectors, ideal 4
// global store 2: 2 requests, 4 sectors, ideal 4
#include <cuda_fp16.h>

__global__ void half_type_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const __half h = reinterpret_cast<const __half*>(a)[2 * i];
    reinterpret_cast<__half*>(c)[i] = h;
}
