// Structs of three floats, copied whole.
// why: Three loads of one word each; the words of one load are 12 bytes apart, in each of 384 / 32 = 12 sectors.
// elements: 96
// launch: 1, 32
// global load 4: 3 requests, 36 sectors, ideal 12
// global store 4: 3 requests, 36 sectors, ideal 12
#include "shared.cuh"

__global__ void structs_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    reinterpret_cast<Point*>(c)[i] = reinterpret_cast<const Point*>(a)[i];
}
