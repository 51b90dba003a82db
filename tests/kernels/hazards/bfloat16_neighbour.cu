// A thread reads its neighbour's element of a tile of __nv_bfloat16 without a barrier.
// size: 64
// launch: 1, 64
// hazard: race
// where: bfloat16-store 1, bfloat16-load 0
// says: a __syncthreads\(\) is missing between line {bfloat16-store} and line {bfloat16-load}
#include <cuda_bf16.h>

__global__ void to_the_left(const float* a, float* c, int n) {
    __shared__ __nv_bfloat16 tile[64];
    const int i = threadIdx.x;
    tile[i] = __float2bfloat16(a[i]);             // bfloat16-store
    c[i] = __bfloat162float(tile[(i + 1) % 64]);  // bfloat16-load
}
