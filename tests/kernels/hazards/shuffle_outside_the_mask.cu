// The maximum of the first lanes also takes the value of a lane that the mask leaves out, and ignores it if it is NaN.
// size: 20
// launch: 1, 32
// hazard: divergent-warp
// where: outside-the-mask 12
// says: reads the value of lane 20, which does not take part, .* the mask \(0x000FFFFF\)

__global__ void largest_of_some(const float* a, float* c, int n) {
    if (threadIdx.x >= n) return;
    float largest = a[threadIdx.x];
    largest = fmaxf(largest, __shfl_down_sync(0xfffff, largest, 8));  // outside-the-mask
    c[threadIdx.x] = largest;
}
