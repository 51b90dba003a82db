// Atomic additions to shared memory.
// why: Each warp accesses words 0, 2, ..., 62: two in a bank.
// elements: 64
// launch: 1, 64
// global store 4: 2 requests, 8 sectors, ideal 8
// shared store 4: 2 requests, 2 wavefronts, ideal 2
// shared load 4: 2 requests, 2 wavefronts, ideal 2
// shared atomic 4: 2 requests, 4 wavefronts, ideal 2

__global__ void shared_counters_kernel(const float* a, float* c, int n) {
    __shared__ int counts[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    counts[i] = 0;
    __syncthreads();
    atomicAdd(counts + 2 * i % 64, 1);
    __syncthreads();
    c[i] = counts[i];
}
