// Each thread sums up one row.
// why: In each of 8 rounds, 32 floats that are 32 bytes apart are loaded.
// elements: 256
// launch: 1, 32
// global load 4: 8 requests, 256 sectors, ideal 32
// global store 4: 1 request, 4 sectors, ideal 4

__global__ void row_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = 0; j < 8; ++j) sum += a[8 * i + j];
    c[i] = sum;
}
