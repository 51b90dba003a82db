// Sixteen bytes of shared memory per lane, 144 bytes apart.
// why: Each lane of a quarter warp needs the next 4 banks.
// elements: 32
// launch: 1, 32
// global store 4: 1 request, 4 sectors, ideal 4
// shared store 16: 1 request, 4 wavefronts, ideal 4
// shared load 16: 1 request, 4 wavefronts, ideal 4
#include "shared.cuh"

__global__ void padded_quads_kernel(const float* a, float* c, int n) { strided<float4, 9>(c); }
