// A transpose in a shared tile of 32 by 33 floats.
// why: A column of the tile is spread over all banks: 1 wavefront for each of 32 warps.
// elements: 1024
// launch: 1, dim3(32, 32)
// global load 4: 32 requests, 128 sectors, ideal 128
// global store 4: 32 requests, 128 sectors, ideal 128
// shared store 4: 32 requests, 32 wavefronts, ideal 32
// shared load 4: 32 requests, 32 wavefronts, ideal 32
#include "shared.cuh"

__global__ void padded_kernel(const float* a, float* c, int n) { transpose<1>(a, c); }
