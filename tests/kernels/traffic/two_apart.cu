// Every other word of shared memory.
// why: Words 0, 2, ..., 62: words 0 and 32 share a bank, and so on.
// elements: 32
// launch: 1, 32
// global load 4: 1 request, 4 sectors, ideal 4
// global store 4: 1 request, 4 sectors, ideal 4
// shared store 4: 2 requests, 2 wavefronts, ideal 2
// shared load 4: 1 request, 2 wavefronts, ideal 1

__global__ void two_apart_kernel(const float* a, float* c, int n) {
    __shared__ float tile[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[i] = a[i], tile[i + 32] = 0;
    __syncthreads();
    c[i] = tile[2 * i];
}
