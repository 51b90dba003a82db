// Threads that have returned never reach the barrier of their block's group.
// size: 64
// hazard: divergent-barrier
// where: group-barrier 0
// says: the barrier in line {group-barrier} is reached by 40 of the block's 64 threads; the others have returned
#include <cooperative_groups.h>

__global__ void group_after_return(float* c) {
    const cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
    if (block.thread_rank() >= 40) return;
    c[block.thread_rank()] = 1.0f;
    block.sync();  // group-barrier
}

torch::Tensor group_divergent(torch::Tensor A) {
    group_after_return<<<1, 64>>>(A.data_ptr<float>());
    return A;
}
