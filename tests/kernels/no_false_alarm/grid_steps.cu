// Blocks of a cooperative launch take turns with two arrays, with a barrier of the grid after each step.
// grid_steps: pinged(A)
#include <cooperative_groups.h>

__global__ void ping_by_grid(float* a, float* b, int n) {
    const auto grid = cooperative_groups::this_grid();
    for (int step = 0; step < 4; ++step) {
        for (int i = grid.thread_rank(); i < n; i += grid.size()) b[i] = (a[i] + a[(i + 1) % n]) / 2;
        float* const other = a;
        a = b;
        b = other;
        grid.sync();
    }
}
torch::Tensor grid_steps(torch::Tensor A) {
    auto C = A.clone(), B = torch::empty_like(A);
    auto *c = C.data_ptr<float>(), *b = B.data_ptr<float>();
    int n = A.numel();
    void* arguments[] = {&c, &b, &n};
    cudaLaunchCooperativeKernel(reinterpret_cast<void*>(ping_by_grid), 3, 16, arguments, 0, 0);
    return C;
}
