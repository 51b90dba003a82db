// All lanes load the same 16 bytes of shared memory.
// why: More than half a warp is never served at once.
// elements: 32
// launch: 1, 32
// global store 4: 1 request, 4 sectors, ideal 4
// shared store 16: 1 request, 4 wavefronts, ideal 4
// shared load 16: 1 request, 2 wavefronts, ideal 1
#include "shared.cuh"

__global__ void quad_for_all_kernel(const float* a, float* c, int n) { same_for_some<float4>(c, 32); }
