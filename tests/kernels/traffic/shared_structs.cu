// Structs of three floats in shared memory.
// why: One request each for words 3 i, 3 i + 1 and 3 i + 2: each spreads over 32 banks.
// elements: 32
// launch: 1, 32
// global load 4: 1 request, 4 sectors, ideal 4
// global store 4: 1 request, 4 sectors, ideal 4
// shared store 4: 3 requests, 3 wavefronts, ideal 3
// shared load 4: 1 request, 1 wavefront, ideal 1
#include "shared.cuh"

__global__ void shared_structs_kernel(const float* a, float* c, int n) {
    __shared__ Point points[32];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    points[i].x = a[i], points[i].y = 1, points[i].z = 2;
    __syncthreads();
    c[i] = points[31 - i].y;
}
