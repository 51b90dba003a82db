// threadIdx.x is the row of a matrix.
// why: Both warps access one sector in each of 32 rows of 128 bytes.
// elements: 1024
// launch: 1, dim3(32, 2)
// global load 4: 2 requests, 64 sectors, ideal 8
// global store 4: 2 requests, 64 sectors, ideal 8

__global__ void columns_kernel(const float* a, float* c, int n) {
    const int row = threadIdx.x, column = threadIdx.y;
    c[row * 32 + column] = a[row * 32 + column];
}
