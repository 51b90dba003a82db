// The third argument of the launch is the number of elements, not of bytes.
// size: 40
// launch: 1, n, n
// hazard: out-of-bounds
// where: not-in-bytes 10
// says: element 10 of 10, .* the launch requests 40 bytes, and the third value of <<<...>>> is in bytes, not in elements

__global__ void not_in_bytes(const float* a, float* c, int n) {
    extern __shared__ float requested[];
    requested[threadIdx.x] = a[threadIdx.x];  // not-in-bytes
    __syncthreads();
    c[threadIdx.x] = requested[blockDim.x - 1 - threadIdx.x];
}
