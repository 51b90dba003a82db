// Each half of a warp reverses 16 elements of its own and does not wait for the other half.
// half_warps: by_sixteens(A)
// launch: 1, 128
#include "shared.cuh"

__global__ void reverse_sixteens(const float* a, float* c, int n) {
    __shared__ float tile[128];
    const int i = threadIdx.x, lane = i % kWarp;
    tile[i] = i < n ? a[i] : 0.0f;
    if (lane < 16) {
        __syncwarp(0x0000ffffu);
        if (i < n) c[i] = tile[i ^ 15];
    } else {
        __syncwarp(0xffff0000u);
        if (i < n) c[i] = tile[i ^ 15];
    }
}
