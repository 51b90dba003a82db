// Each thread sums up one column, in an unrolled loop.
// elements: 256
// launch: 1, 32
// global load 4: 8 requests, 32 sectors, ideal 32
// global store 4: 1 request, 4 sectors, ideal 4

__global__ void column_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll
    for (int j = 0; j < 8; ++j) sum += a[32 * j + i];
    c[i] = sum;
}
