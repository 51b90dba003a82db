// A block copies a tile by memcpy_async, in pieces of 16 bytes.
// why: 256 floats are 64 pieces: 2 warps load 512 bytes each, and store them in 4 wavefronts each.
// elements: 256
// launch: 1, 64
// global load 16: 2 requests, 32 sectors, ideal 32
// shared store 16: 2 requests, 8 wavefronts, ideal 8
// shared load 4: 2 requests, 2 wavefronts, ideal 2
// global store 4: 2 requests, 8 sectors, ideal 8
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

__global__ void asynchronous_of_group_kernel(const float* a, float* c, int n) {
    __shared__ alignas(16) float tile[256];
    const auto block = cooperative_groups::this_thread_block();
    cooperative_groups::memcpy_async(block, tile, a, n * sizeof(float));
    cooperative_groups::wait(block);
    c[block.thread_rank()] = tile[block.thread_rank()];
}
