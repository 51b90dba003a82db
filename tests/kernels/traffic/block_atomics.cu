// Atomic additions of a block's scope, each warp to one address.
// elements: 64
// launch: 1, 64
// global load 4: 2 requests, 8 sectors, ideal 8
// global atomic 4: 2 requests, 2 sectors, ideal 2

__global__ void block_atomics_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd_block(c + i / 32, a[i]);
}
