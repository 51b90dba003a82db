// A transpose in a shared tile of 32 by 32 floats.
// why: A column of the tile is in one bank: 32 wavefronts for each of 32 warps.
// elements: 1024
// launch: 1, dim3(32, 32)
// global load 4: 32 requests, 128 sectors, ideal 128
// global store 4: 32 requests, 128 sectors, ideal 128
// shared store 4: 32 requests, 32 wavefronts, ideal 32
// shared load 4: 32 requests, 1024 wavefronts, ideal 32
#include "shared.cuh"

__global__ void unpadded_kernel(const float* a, float* c, int n) { transpose<0>(a, c); }
