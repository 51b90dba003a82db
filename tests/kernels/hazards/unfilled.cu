// Half of a tile is read without having been filled.
// size: 64
// launch: 1, 64
// hazard: uninitialised-read
// where: unfilled 63
// says: tile where nothing was written before, element 63

__global__ void part_of_a_tile(const float* a, float* c, int n) {
    __shared__ float tile[64];
    if (threadIdx.x < 32) tile[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    c[threadIdx.x] = tile[threadIdx.x];  // unfilled
}
