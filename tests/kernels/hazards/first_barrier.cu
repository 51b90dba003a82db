// A tile is read without a barrier after it is filled.
// size: 64
// launch: 1, 64
// hazard: race
// where: first-stores 32, first-loads 31
// says: the shared array tile, .*missing between line {first-stores} and line {first-loads}

__global__ void reverse_at_once(const float* a, float* c, int n) {
    __shared__ float tile[64];
    tile[threadIdx.x] = a[threadIdx.x];       // first-stores
    c[threadIdx.x] = tile[63 - threadIdx.x];  // first-loads
}
