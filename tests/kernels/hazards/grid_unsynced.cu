// A block of a cooperative launch writes, after a barrier of the grid, what another block reads.
// size: 4
// hazard: race
// where: grid-store 0 1, grid-load 0 0
// says: blocks run in no fixed order
#include <cooperative_groups.h>

__global__ void overwrite_neighbour(float* b, float* c) {
    const auto grid = cooperative_groups::this_grid();
    const int i = grid.thread_rank(), next = (i + 1) % 4;
    b[i] = c[i];
    grid.sync();
    c[i] = b[next];   // grid-load
    b[i] = 2 * c[i];  // grid-store
}

torch::Tensor grid_unsynced(torch::Tensor A) {
    auto B = torch::empty_like(A);
    auto *b = B.data_ptr<float>(), *c = A.data_ptr<float>();
    void* arguments[] = {&b, &c};
    cudaLaunchCooperativeKernel(overwrite_neighbour, 4, 1, arguments, 0, nullptr);
    return A;
}
