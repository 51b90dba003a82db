// A condition of two parts, and a branch in a branch.
// why: 16 lanes load 2 sectors; 8 of them load every other float of 64 bytes; then two stores by 8 lanes each.
// elements: 64
// launch: 1, 32
// global load 4: 2 requests, 4 sectors, ideal 3
// global store 4: 2 requests, 4 sectors, ideal 2

__global__ void both_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 16 && a[i] > 0) {
        if (i % 2 == 0)
            c[i] = a[i + 32];
        else
            c[i] = 1;
    }
}
