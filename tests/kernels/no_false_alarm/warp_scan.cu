// A scan by warp shuffles, then over the warps' sums.
// warp_scan: A.cumsum(0)
// launch: 1, 128
#include "shared.cuh"

__global__ void scan_by_warps(const float* a, float* c, int n) {
    __shared__ float totals[4];
    const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
    float sum = threadIdx.x < n ? a[threadIdx.x] : 0.0f;
    for (int distance = 1; distance < kWarp; distance *= 2) {
        const float before = __shfl_up_sync(0xffffffffu, sum, distance);
        if (lane >= distance) sum += before;
    }
    if (lane == kWarp - 1) totals[warp] = sum;
    __syncthreads();
    for (int w = 0; w < warp; ++w) sum += totals[w];
    if (threadIdx.x < n) c[threadIdx.x] = sum;
}
