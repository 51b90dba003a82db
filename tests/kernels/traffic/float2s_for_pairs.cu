// Pairs of lanes load the same 8 bytes of shared memory.
// why: Lanes of a pair are served together, so the whole warp is served at once.
// elements: 32
// launch: 1, 32
// global store 4: 1 request, 4 sectors, ideal 4
// shared store 8: 1 request, 2 wavefronts, ideal 2
// shared load 8: 1 request, 1 wavefront, ideal 1
#include "shared.cuh"

__global__ void float2s_for_pairs_kernel(const float* a, float* c, int n) { same_for_some<float2>(c, 2); }
