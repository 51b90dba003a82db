// Every third word of shared memory.
// why: 3 and 32 have no common divisor, so words 3 i are in different banks.
// elements: 32
// launch: 1, 32
// global store 4: 1 request, 4 sectors, ideal 4
// shared store 4: 1 request, 1 wavefront, ideal 1
// shared load 4: 1 request, 1 wavefront, ideal 1
#include "shared.cuh"

__global__ void three_apart_kernel(const float* a, float* c, int n) { strided<float, 3>(c); }
