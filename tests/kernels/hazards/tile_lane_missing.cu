// Lanes of a tile reduce, but some of them wait at the block's barrier.
// size: 32
// hazard: divergent-warp
// where: tile-reduce 0
// says: names lanes in its mask \(0x0000FFFF\) that never reach it
#include <cooperative_groups/reduce.h>

__global__ void reduce_of_some(float* c) {
    const auto block = cooperative_groups::this_thread_block();
    const auto tile = cooperative_groups::tiled_partition<16>(block);
    float sum = c[threadIdx.x];
    if (threadIdx.x % 16 < 12)
        sum = cooperative_groups::reduce(tile, sum, cooperative_groups::plus<float>());  // tile-reduce
    block.sync();
    c[threadIdx.x] = sum;
}

torch::Tensor tile_lane_missing(torch::Tensor A) {
    reduce_of_some<<<1, 32>>>(A.data_ptr<float>());
    return A;
}
