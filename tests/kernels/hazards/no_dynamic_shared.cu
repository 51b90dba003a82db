// The launch has no third argument, so the kernel has no dynamic shared memory.
// size: 40
// launch: 1, n
// hazard: out-of-bounds
// where: not-requested 0
// says: the launch requests 0 bytes, and the third value of <<<...>>> is in bytes, not in elements

__global__ void not_requested(const float* a, float* c, int n) {
    extern __shared__ float requested[];
    requested[threadIdx.x] = a[threadIdx.x];  // not-requested
    __syncthreads();
    c[threadIdx.x] = requested[blockDim.x - 1 - threadIdx.x];
}
