// __nv_bfloat162 in one access of 4 bytes, then its numbers one by one, in shared memory.
// why: 32 pairs fill 4 sectors. Of the numbers, two lanes share each word, so 16 banks are used.
// elements: 64
// launch: 1, 64
// global load 4: 2 requests, 8 sectors, ideal 8
// shared store 2: 2 requests, 2 wavefronts, ideal 2
// shared load 2: 2 requests, 2 wavefronts, ideal 2
// global store 2: 2 requests, 4 sectors, ideal 4
#include <cuda_bf16.h>

__global__ void bfloat16_pairs_kernel(const float* a, float* c, int n) {
    __shared__ __nv_bfloat16 tile[64];
    const int i = threadIdx.x;
    const __nv_bfloat162 pair = reinterpret_cast<const __nv_bfloat162*>(a)[i];
    tile[i] = pair.x * pair.y;
    __syncthreads();
    reinterpret_cast<__nv_bfloat16*>(c)[i] = tile[63 - i];
}
