// Only one of three warps takes part.
// why: In both blocks, only the second of three warps takes part.
// elements: 192
// launch: 2, 96
// global load 4: 2 requests, 8 sectors, ideal 8
// global store 4: 2 requests, 8 sectors, ideal 8

__global__ void one_warp_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x / 32 == 1) c[i] = a[i];
}
