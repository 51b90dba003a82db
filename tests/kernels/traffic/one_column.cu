// Blocks of 1 by 32 threads.
// why: Each of 4 blocks accesses 32 rows, one sector in each.
// elements: 1024
// launch: 4, dim3(1, 32)
// global load 4: 4 requests, 128 sectors, ideal 16, 128 cycles
// global store 4: 4 requests, 128 sectors, ideal 16

__global__ void one_column_kernel(const float* a, float* c, int n) {
    c[threadIdx.y * 32 + blockIdx.x] = a[threadIdx.y * 32 + blockIdx.x];
}
