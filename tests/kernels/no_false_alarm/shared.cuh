// What several kernels of this folder share.

constexpr int kWarp = 32;

__device__ float warp_sum(float x) {
    for (int delta = kWarp / 2; delta > 0; delta /= 2) x += __shfl_down_sync(0xffffffffu, x, delta);
    return x;
}
