// After a barrier of the grid, a block reads a shared element that only another block has written.
// size: 8
// hazard: uninitialised-read
// where: of-another 3 1
// says: kept where nothing was written before, element 3
#include <cooperative_groups.h>

__global__ void shared_by_no_grid(float* c) {
    __shared__ float kept[4];
    const auto grid = cooperative_groups::this_grid();
    if (blockIdx.x == 0 || threadIdx.x < 3) kept[threadIdx.x] = c[grid.thread_rank()];
    grid.sync();
    c[grid.thread_rank()] = kept[threadIdx.x];  // of-another
}

torch::Tensor grid_unfilled(torch::Tensor A) {
    auto* c = A.data_ptr<float>();
    void* arguments[] = {&c};
    cudaLaunchCooperativeKernel((void*)shared_by_no_grid, dim3(2), dim3(4), arguments);
    return A;
}
