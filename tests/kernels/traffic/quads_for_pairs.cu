// Pairs of lanes load the same 16 bytes of shared memory.
// why: Pairs are served at once, half a warp at a time: 8 quads, 128 bytes.
// elements: 32
// launch: 1, 32
// global store 4: 1 request, 4 sectors, ideal 4
// shared store 16: 1 request, 4 wavefronts, ideal 4
// shared load 16: 1 request, 2 wavefronts, ideal 2
#include "shared.cuh"

__global__ void quads_for_pairs_kernel(const float* a, float* c, int n) { same_for_some<float4>(c, 2); }
