// An unsigned index goes below 0.
// size: 8
// launch: 1, n
// hazard: out-of-bounds
// where: before-the-start 0
// says: reads before the start of A .*: element -1 of 8.* wraps around

__global__ void shift(const float* a, float* c, int n) {
    c[threadIdx.x] = a[threadIdx.x - 1];  // before-the-start
}
