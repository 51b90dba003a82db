// One member of each struct of three floats.
// why: The words are 12 bytes apart, in each of 384 / 32 = 12 sectors.
// elements: 96
// launch: 1, 32
// global load 4: 1 request, 12 sectors, ideal 4
// global store 4: 1 request, 4 sectors, ideal 4
#include "shared.cuh"

__global__ void members_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = reinterpret_cast<const Point*>(a)[i].y;
}
