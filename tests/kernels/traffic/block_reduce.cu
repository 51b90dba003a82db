// A sum by CUB's BlockReduce.
// why: 4 warps load 4 sectors each. The first lane of each stores its sum, and thread 0 loads three of them.
// elements: 128
// launch: 1, 128
// global load 4: 4 requests, 16 sectors, ideal 16
// global store 4: 1 request, 1 sector, ideal 1
// shared store 4: 4 requests, 4 wavefronts, ideal 4
// shared load 4: 3 requests, 3 wavefronts, ideal 3

#include <cub/cub.cuh>

__global__ void block_reduce_kernel(const float* a, float* c, int n) {
    __shared__ typename cub::BlockReduce<float, 128>::TempStorage temp;
    const float sum = cub::BlockReduce<float, 128>(temp).Sum(a[threadIdx.x]);
    if (threadIdx.x == 0) *c = sum;
}
