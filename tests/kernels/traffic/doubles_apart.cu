// Every other double of shared memory.
// why: Of half a warp the words 4 i and 4 i + 1: lanes i and i + 8 share banks, 2 wavefronts for each half.
// elements: 32
// launch: 1, 32
// global store 4: 1 request, 4 sectors, ideal 4
// shared store 8: 1 request, 4 wavefronts, ideal 2
// shared load 8: 1 request, 4 wavefronts, ideal 2
#include "shared.cuh"

__global__ void doubles_apart_kernel(const float* a, float* c, int n) { strided<double, 2>(c); }
