// A transpose in a tile whose columns are permuted by XOR.
// why: x ^ y takes every bank once, both as x varies and as y varies.
// elements: 1024
// launch: 1, dim3(32, 32)
// global load 4: 32 requests, 128 sectors, ideal 128
// global store 4: 32 requests, 128 sectors, ideal 128
// shared store 4: 32 requests, 32 wavefronts, ideal 32
// shared load 4: 32 requests, 32 wavefronts, ideal 32

__global__ void swizzled_kernel(const float* a, float* c, int n) {
    __shared__ float tile[32][32];
    const int x = threadIdx.x, y = threadIdx.y;
    tile[y][x ^ y] = a[y * 32 + x];
    __syncthreads();
    c[y * 32 + x] = tile[x][y ^ x];
}
