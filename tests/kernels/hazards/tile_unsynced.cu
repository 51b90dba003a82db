// Lanes of a tile exchange values through shared memory without a sync of the tile.
// size: 32
// hazard: race
// where: tile-stores 1, tile-loads 0
// says: missing between line {tile-stores} and line {tile-loads}
#include <cooperative_groups.h>

__global__ void neighbours_in_tiles(float* c) {
    __shared__ float values[32];
    const auto tile = cooperative_groups::tiled_partition<16>(cooperative_groups::this_thread_block());
    values[threadIdx.x] = tile.shfl_xor(c[threadIdx.x], 1);  // tile-stores
    c[threadIdx.x] = values[threadIdx.x ^ 1];                // tile-loads
}

torch::Tensor tile_unsynced(torch::Tensor A) {
    neighbours_in_tiles<<<1, 32>>>(A.data_ptr<float>());
    return A;
}
