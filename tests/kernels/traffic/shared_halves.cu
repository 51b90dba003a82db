// Two bytes of shared memory per lane.
// elements: 32
// launch: 1, 32
// global store 4: 1 request, 4 sectors, ideal 4
// shared store 2: 1 request, 1 wavefront, ideal 1
// shared load 2: 1 request, 1 wavefront, ideal 1
#include "shared.cuh"

__global__ void shared_halves_kernel(const float* a, float* c, int n) { strided<short, 1>(c); }
