// A grid-stride loop.
// why: Elements 0 to 287 are 9 warps of 4 sectors; 288 to 299 are 12 lanes, 48 bytes.
// elements: 300
// launch: 2, 64
// global load 4: 10 requests, 38 sectors, ideal 38
// global store 4: 10 requests, 38 sectors, ideal 38

__global__ void grid_stride_kernel(const float* a, float* c, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = a[i];
}
