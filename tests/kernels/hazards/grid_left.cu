// A block ends before a barrier of the grid.
// size: 3
// hazard: divergent-barrier
// where: grid-barrier 0 0
// says: the barrier of the grid in line {grid-barrier} is reached by 2 of 3 blocks, and the others have ended
#include <cooperative_groups.h>

__global__ void last_leaves(float* c) {
    if (blockIdx.x == 2) return;
    c[blockIdx.x] = 1.0f;
    cooperative_groups::this_grid().sync();  // grid-barrier
}

torch::Tensor grid_left(torch::Tensor A) {
    auto* c = A.data_ptr<float>();
    void* arguments[] = {&c};
    cudaLaunchCooperativeKernel((void*)last_leaves, dim3(3), dim3(1), arguments);
    return A;
}
