// Sixteen bytes of shared memory per lane, 128 bytes apart.
// why: The 8 lanes of a quarter warp all need banks 0 to 3: 8 wavefronts for each quarter.
// elements: 32
// launch: 1, 32
// global store 4: 1 request, 4 sectors, ideal 4
// shared store 16: 1 request, 32 wavefronts, ideal 4
// shared load 16: 1 request, 32 wavefronts, ideal 4
#include "shared.cuh"

__global__ void quads_in_a_column_kernel(const float* a, float* c, int n) { strided<float4, 8>(c); }
