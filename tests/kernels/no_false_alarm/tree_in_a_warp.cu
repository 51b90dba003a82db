// The last steps of a tree in one warp: what each lane stored is seen after __syncwarp(), also through volatile.
// tree_in_a_warp: A.sum()
#include "shared.cuh"

__global__ void tree_and_warp(const float* a, float* c, int n) {
    __shared__ volatile float sums[64];
    const int i = threadIdx.x;
    sums[i] = (i < n ? a[i] : 0.0f) + (i + 64 < n ? a[i + 64] : 0.0f);
    __syncthreads();
    if (i >= kWarp) return;
    for (int half = 32; half > 0; half /= 2) {
        const float other = sums[i + half];
        __syncwarp();
        sums[i] = sums[i] + other;
        __syncwarp();
    }
    if (i == 0) *c = sums[0];
}
torch::Tensor tree_in_a_warp(torch::Tensor A) {
    auto C = torch::empty({1}, A.options());
    tree_and_warp<<<1, 64>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
