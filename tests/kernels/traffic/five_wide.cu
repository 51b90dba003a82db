// Blocks of 5 by 7 threads.
// why: The first warp has 6 rows of 5 and 2 lanes of row 6: 7 sectors, 128 bytes. The second: 3 lanes, 1 sector.
// elements: 224
// launch: 1, dim3(5, 7)
// global load 4: 2 requests, 8 sectors, ideal 5
// global store 4: 2 requests, 8 sectors, ideal 5

__global__ void five_wide_kernel(const float* a, float* c, int n) {
    const int i = threadIdx.y * 32 + threadIdx.x;
    c[i] = a[i];
}
