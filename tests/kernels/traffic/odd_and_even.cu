// Odd and even lanes take different branches.
// why: Both branches load in either warp: 16 lanes, every other float of 128 bytes; 64 bytes would fill 2 sectors.
// elements: 128
// launch: 1, 64
// global load 4: 4 requests, 16 sectors, ideal 8
// global store 4: 2 requests, 8 sectors, ideal 8

__global__ void odd_and_even_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x;
    if (i % 2)
        x = a[i];
    else
        x = 2 * a[i + 64];
    c[i] = x;
}
