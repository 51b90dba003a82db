// Eight bytes of shared memory per lane.
// why: 256 bytes, half a warp at a time.
// elements: 32
// launch: 1, 32
// global store 4: 1 request, 4 sectors, ideal 4
// shared store 8: 1 request, 2 wavefronts, ideal 2
// shared load 8: 1 request, 2 wavefronts, ideal 2
#include "shared.cuh"

__global__ void shared_doubles_kernel(const float* a, float* c, int n) { strided<double, 1>(c); }
