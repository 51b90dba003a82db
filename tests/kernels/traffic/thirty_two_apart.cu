// Every 32nd word of shared memory.
// why: All are in bank 0.
// elements: 32
// launch: 1, 32
// global store 4: 1 request, 4 sectors, ideal 4
// shared store 4: 1 request, 32 wavefronts, ideal 1
// shared load 4: 1 request, 32 wavefronts, ideal 1
#include "shared.cuh"

__global__ void thirty_two_apart_kernel(const float* a, float* c, int n) { strided<float, 32>(c); }
