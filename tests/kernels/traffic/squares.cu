// Blocks of 8 by 8 threads on rows of 32 floats.
// why: A warp is 4 rows of 8 floats, one sector each.
// elements: 256
// launch: 1, dim3(8, 8)
// global load 4: 2 requests, 8 sectors, ideal 8
// global store 4: 2 requests, 8 sectors, ideal 8

__global__ void squares_kernel(const float* a, float* c, int n) {
    const int i = threadIdx.y * 32 + threadIdx.x;
    c[i] = a[i];
}
