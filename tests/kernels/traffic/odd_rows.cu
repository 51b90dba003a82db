// Rows of 33 floats.
// why: Row y begins 4 y bytes past a multiple of 32: row 0 is in one sector, rows 1 to 7 in two each.
// elements: 264
// launch: 1, dim3(8, 8)
// global load 4: 2 requests, 15 sectors, ideal 8
// global store 4: 2 requests, 8 sectors, ideal 8

__global__ void odd_rows_kernel(const float* a, float* c, int n) {
    c[threadIdx.y * 32 + threadIdx.x] = a[threadIdx.y * 33 + threadIdx.x];
}
