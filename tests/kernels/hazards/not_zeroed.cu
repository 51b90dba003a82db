// A kernel adds to new memory that was never set to 0.
// size: 8
// launch: 1, n
// hazard: uninitialised-read
// where: not-zeroed 0
// says: new memory holds old data

__global__ void add_to(const float* a, float* c, int n) { c[threadIdx.x] += a[threadIdx.x]; }  // not-zeroed
