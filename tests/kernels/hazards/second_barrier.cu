// A tile is filled again without a barrier after it is read.
// size: 128
// launch: 1, 64
// hazard: race
// where: second-loads 0, second-stores 63
// says: missing after line {second-loads}, before line {second-stores} runs again

__global__ void reverse_in_a_loop(const float* a, float* c, int n) {
    __shared__ float tile[64];
    for (int from = 0; from < n; from += 64) {
        tile[threadIdx.x] = a[from + threadIdx.x];  // second-stores
        __syncthreads();
        c[from + threadIdx.x] = tile[63 - threadIdx.x];  // second-loads
    }
}
