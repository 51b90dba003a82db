// Atomic additions to one address.
// why: Each of 4 warps loads 4 sectors and adds to 1.
// elements: 128
// launch: 2, 64
// global load 4: 4 requests, 16 sectors, ideal 16
// global atomic 4: 4 requests, 4 sectors, ideal 4

__global__ void sum_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(c, a[i]);
}
