// One byte of shared memory per lane.
// why: 32 bytes are 8 words, with 4 lanes in each.
// elements: 32
// launch: 1, 32
// global store 4: 1 request, 4 sectors, ideal 4
// shared store 1: 1 request, 1 wavefront, ideal 1
// shared load 1: 1 request, 1 wavefront, ideal 1
#include "shared.cuh"

__global__ void shared_bytes_kernel(const float* a, float* c, int n) { strided<char, 1>(c); }
