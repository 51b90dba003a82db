// Every fourth word of shared memory.
// why: Words 0, 32, 64, 96 share a bank: 4 wavefronts.
// elements: 32
// launch: 1, 32
// global store 4: 1 request, 4 sectors, ideal 4
// shared store 4: 1 request, 4 wavefronts, ideal 1
// shared load 4: 1 request, 4 wavefronts, ideal 1
#include "shared.cuh"

__global__ void four_apart_kernel(const float* a, float* c, int n) { strided<float, 4>(c); }
