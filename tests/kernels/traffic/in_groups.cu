// A loop over the block's threads, then one store by each tile, with the ranks of groups as indices.
// why: 96 elements are 3 requests, of 4 sectors each. The 2 warps then store 8 neighbouring sums of tiles each.
// elements: 96
// launch: 1, 64
// global load 4: 3 requests, 12 sectors, ideal 12
// global store 4: 2 requests, 2 sectors, ideal 2
#include <cooperative_groups/reduce.h>

__global__ void in_groups_kernel(const float* a, float* c, int n) {
    const auto block = cooperative_groups::this_thread_block();
    const auto tile = cooperative_groups::tiled_partition<4>(block);
    float sum = 0;
    for (int i = block.thread_rank(); i < n; i += block.size()) sum += a[i];
    sum = cooperative_groups::reduce(tile, sum, cooperative_groups::plus<float>());
    if (tile.thread_rank() == 0) c[tile.meta_group_rank()] = sum;
}
