// Every other double of shared memory.
// why: Half a warp needs words 4 i and 4 i + 1; lanes i and i + 8 share banks, so each half needs 2 wavefronts.
// elements: 32
// launch: 1, 32
// global store 4: 1 request, 4 sectors, ideal 4
// shared store 8: 1 request, 4 wavefronts, ideal 2
// shared load 8: 1 request, 4 wavefronts, ideal 2
#include "shared.cuh"

__global__ void doubles_apart_kernel(const float* a, float* c, int n) { strided<double, 2>(c); }
