// Blocks of 24 by 4 threads.
// why: Rows of 96 bytes, 160 apart. Row 0 and 8 floats of row 1; 16 of rows 1 and 2; 8 of row 2 and row 3.
// elements: 160
// launch: 1, dim3(24, 4)
// global load 4: 3 requests, 12 sectors, ideal 12
// global store 4: 3 requests, 12 sectors, ideal 12

__global__ void twenty_four_wide_kernel(const float* a, float* c, int n) {
    const int i = threadIdx.y * 40 + threadIdx.x;
    c[i] = a[i];
}
